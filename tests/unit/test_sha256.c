// test_sha256.c - the digests of FIPS 180-4's examples, lengths around the borders of a block, and parts.
#include "sha256.h"

#include "mega_test.h"

static void check_text(const char *message, const char *expected) {
    uint8_t digest[MEGA_SHA256_SIZE];
    char text[MEGA_SHA256_TEXT_SIZE];
    sha256_of(message, strlen(message), digest);
    sha256_text(digest, text);
    MEGA_CHECK_BYTES(text, expected, MEGA_SHA256_TEXT_SIZE);
}

// So many letters a, in parts of several sizes.
static void check_size(size_t size, const char *expected) {
    static char bytes[1000000];
    memset(bytes, 'a', size);
    for (size_t part = 1; part <= size || part == 1; part = 3 * part + 1) {
        mega_sha256 hash;
        uint8_t digest[MEGA_SHA256_SIZE];
        char text[MEGA_SHA256_TEXT_SIZE];
        sha256_begin(&hash);
        for (size_t at = 0; at < size; at += part) {
            sha256_add(&hash, bytes + at, size - at < part ? size - at : part);
        }
        sha256_finish(&hash, digest);
        sha256_text(digest, text);
        MEGA_CHECK_BYTES(text, expected, MEGA_SHA256_TEXT_SIZE);
    }
}

int main(void) {
    check_text("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    // From the sha256sum of GNU coreutils.
    check_size(0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_size(55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check_size(56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    check_size(57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6");
    check_size(63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    check_size(64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    check_size(65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
    check_size(119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    check_size(120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
    check_size(128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
    check_size(1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    uint8_t digest[MEGA_SHA256_SIZE], empty[MEGA_SHA256_SIZE];
    sha256_of(NULL, 0, digest);
    sha256_of("", 0, empty);
    MEGA_CHECK_BYTES(digest, empty, sizeof digest);
    return mega_test_result();
}

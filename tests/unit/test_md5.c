// test_md5.c - the digests of RFC 1321, A.5, and lengths around the borders of a block.
#include "md5.h"

#include "mega_test.h"

static void check_text(const char *message, const char *expected) {
    char text[MEGA_MD5_TEXT_SIZE];
    mega_md5(message, strlen(message), text);
    MEGA_CHECK_BYTES(text, expected, MEGA_MD5_TEXT_SIZE);
}

static void check_size(size_t size, const char *expected) {
    static char bytes[200000];
    char text[MEGA_MD5_TEXT_SIZE];
    memset(bytes, 'a', size);
    mega_md5(bytes, size, text);
    MEGA_CHECK_BYTES(text, expected, MEGA_MD5_TEXT_SIZE);
}

int main(void) {
    check_text("", "d41d8cd98f00b204e9800998ecf8427e");
    check_text("a", "0cc175b9c0f1b6a831c399e269772661");
    check_text("abc", "900150983cd24fb0d6963f7d28e17f72");
    check_text("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    check_text("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    check_text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
               "d174ab98d277d9f5a5611c2c9f419d9f");
    check_text("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
               "57edf4a22be3c955ac49da2e2107b67a");
    // From the md5sum of GNU coreutils.
    check_size(55, "ef1772b6dff9a122358552954ad0df65");
    check_size(56, "3b0c8ac703f828b04c6c197006d17218");
    check_size(57, "652b906d60af96844ebd21b674f35e93");
    check_size(63, "b06521f39153d618550606be297466d5");
    check_size(64, "014842d480b571495a4a0363793f7367");
    check_size(65, "c743a45e0d2e6a95cb859adae0248435");
    check_size(119, "8a7bd0732ed6a28ce75f6dabc90e1613");
    check_size(120, "5f61c0ccad4cac44c75ff505e1f1e537");
    check_size(128, "e510683b3f5ffe4093d021808bc6ff70");
    check_size(200000, "561b1994f6baacd6e5eaf4baaa12849f");
    char text[MEGA_MD5_TEXT_SIZE];
    mega_md5(NULL, 0, text);
    MEGA_CHECK_BYTES(text, "d41d8cd98f00b204e9800998ecf8427e", MEGA_MD5_TEXT_SIZE);
    return mega_test_result();
}

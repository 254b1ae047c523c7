# Pictures and moving pictures of the built-in game.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

passes "$MEGACADE" record --frame 40 --out a.png
passes "$MEGACADE" record --frame 40 --out b.png
holds "the same frame gives the same file" -z "$(cmp a.png b.png)"
passes "$MEGACADE" record --frame 40 --scale 1 --out small.png
checks=$((checks + 1))
python3 - a.png small.png <<'PYTHON' || fail "the PNG files"
import struct, sys, zlib

def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, kinds = 8, b"", []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        kinds.append(kind)
        at += 12 + size
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and (depth, colour) == (8, 2)
    assert len(zlib.decompress(packed)) == height * (1 + 3 * width)
    return width, height

large, small = read(sys.argv[1]), read(sys.argv[2])
assert small[0] == 320 and large == (2 * small[0], 2 * small[1]), (large, small)
PYTHON

passes "$MEGACADE" record --frames 60 --scale 1 --out a.gif
checks=$((checks + 1))
python3 - a.gif <<'PYTHON' || fail "the GIF file"
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:6] == b"GIF89a" and struct.unpack("<H", data[6:8])[0] == 320 and data[-1] == 0x3B
at, pictures, hundredths = 13 + 768, 0, 0
while data[at] != 0x3B:
    if data[at] == 0x21:
        if data[at + 1] == 0xF9:
            hundredths += struct.unpack("<H", data[at + 4:at + 6])[0]
        at += 2
    else:
        assert data[at] == 0x2C
        pictures += 1
        at += 11
    while data[at]:
        at += 1 + data[at]
    at += 1
assert at == len(data) - 1 and pictures >= 1 and 97 <= hundredths <= 121, (pictures, hundredths)
PYTHON

passes "$MEGACADE" record --frames 20 --actions noop --out noop.gif
passes "$MEGACADE" record --frames 20 --seed 5 --fps 60 --scale 3 --out fast.gif
echo old >a.gif
refuses 2 "'walk'" "$MEGACADE" record --frames 20 --actions walk --out a.gif
holds "a mistake leaves the old file alone" "$(cat a.gif)" = old
if command -v ffmpeg >/dev/null; then
    passes "$MEGACADE" record --frames 30 --scale 1 --out a.mp4
    holds "an MP4 file" "$(head -c 8 a.mp4 | tail -c 4)" = ftyp
else
    echo "no ffmpeg here: MP4 files are not tested" >&2
fi
holds "no parts are left" -z "$(ls | grep part)"
finish

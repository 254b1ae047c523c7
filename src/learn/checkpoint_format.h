// checkpoint_format.h - what the writer and the reader of checkpoints agree on. See docs/formats.md.
#ifndef CHECKPOINT_FORMAT_H
#define CHECKPOINT_FORMAT_H

#define CHECKPOINT_MAGIC "MEGACKPT"
#define CHECKPOINT_END_MAGIC "MEGA.END"

enum {
    CHECKPOINT_MAGIC_SIZE = 8,
    // The head: magic, version, 4 zeros.
    CHECKPOINT_HEAD_SIZE = 16,
    // An entry of the index.
    ENTRY_NAME = 0,
    ENTRY_FLAGS = 32,
    ENTRY_CRC = 36,
    ENTRY_OFFSET = 40,
    ENTRY_SIZE = 48,
    ENTRY_STORED = 56,
    CHECKPOINT_ENTRY_SIZE = 64,
    // The tail: offset of the index, entries, CRC-32 of head, index and the 12 bytes before it, magic.
    TAIL_INDEX = 0,
    TAIL_COUNT = 8,
    TAIL_CRC = 12,
    TAIL_MAGIC = 16,
    CHECKPOINT_TAIL_SIZE = 24,
    // A section with this flag is a chain of blocks: bytes stored (4), then so many bytes. Every block is BLOCK_SIZE
    // bytes when read, the last one what remains. A block with as many bytes as it is when read is not compressed.
    FLAG_BLOCKS = 1,
    BLOCK_SIZE = 1 << 20,
    BLOCK_HEAD_SIZE = 4
};

#endif

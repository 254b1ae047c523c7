// safetensors.h - a network's parameters as a .safetensors file, for PyTorch and others.
//
// The format: https://huggingface.co/docs/safetensors, "Format". Tensors have the names and shapes of network.h, all
// are F32. The file's metadata are "format": "pt", "megacade": the version of this program, and the caller's notes.
#ifndef SAFETENSORS_H
#define SAFETENSORS_H
#include "export_note.h"
#include "network.h"

// `parameters` is the slab. The keys of the notes are neither "format" nor "megacade".
int mega_safetensors_write(const char *path, const mega_network *network, const float *parameters,
                           const mega_export_note *notes, size_t note_count, mega_message *message);
// Reads the tensors of `network` into its slab; what lies between tensors becomes zero. The file must have each of them
// with the right shape as F32, and may have others. On failure `parameters` is undefined.
int mega_safetensors_read(const char *path, const mega_network *network, float *parameters,
                          mega_message *message);

#endif

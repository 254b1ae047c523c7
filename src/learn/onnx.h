// onnx.h - a network with its parameters as an ONNX model, for programs that only play.
//
//     input   observation  uint8 [N, stack, height, width]
//     outputs logits       float [N, actions]
//             value        float [N, 1]
// of an actor-critic, or
//     outputs q            float [N, actions]
// of a Q-network: the values of the actions, the means of their distributions if it has several atoms.
//
// IR version 8, operators of version 13, all parameters inside. The division by 255 is part of the model. Its
// metadata are "megacade": the version of this program, and the caller's notes.
#ifndef ONNX_H
#define ONNX_H
#include "export_note.h"
#include "network.h"

// Which returns the atoms stand for: the first for `least`, the last for `most`, the others lie evenly between them.
typedef struct mega_onnx_support {
    double least, most;
} mega_onnx_support;

// `parameters` is the slab. `support` is for networks of several atoms; for others it may be NULL. The keys of the notes
// are not "megacade". Fails for models of 2 GiB or more, which the format does not allow.
int mega_onnx_write(const char *path, const mega_network *network, const float *parameters,
                    const mega_onnx_support *support, const mega_export_note *notes, size_t note_count,
                    mega_message *message);

#endif

// nn_text.h - the texts of nn.cu, conv.cu and replay.cu with the shared source in them; cmake/nn_text.cmake writes them.
#ifndef NN_TEXT_H
#define NN_TEXT_H

extern const char mega_nn_text[];
extern const char mega_conv_text[];
extern const char mega_replay_text[];

#endif

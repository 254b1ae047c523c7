// nn_text.h - the text of nn.cu with the shared source in it; cmake/nn_text.cmake writes it.
#ifndef NN_TEXT_H
#define NN_TEXT_H

extern const char mega_nn_text[];

#endif

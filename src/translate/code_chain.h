// code_chain.h - blocks that others run on into. Host code.
//
// Lanes vote before every block, and a vote costs more than most blocks do. It is of no use where nobody else can wait: in
// a block that control only enters from the end of the one before it, and that comes next in the order. Those who get
// there go on at once, while those that took the branch wait. The end of a loop is not such a block, although nobody else
// enters it: lanes that leave the loop early should wait for the others there.
#ifndef CODE_CHAIN_H
#define CODE_CHAIN_H
#include "code_order.h"

// Such blocks become CODE_CHAINED, and are blocks no more. `edges` are all that are known, `rank` is that of code_order().
void code_chain(code_map *map, const code_edges *edges, const uint32_t *rank);

#endif

// mega_interpreter_loop.h - the body of the interpreter, included once per variant by mega_interpreter.h.
// Shared source. Where labels are values each operation jumps straight to the next one; a function that does
// so cannot be inlined, which is why the variants are made by inclusion.

#if MEGA_THREADED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define CPU_CASE(code) operation_##code:
#define CPU_DISPATCH()             \
    do {                           \
        budget--;                  \
        FETCH_OPCODE();            \
        goto *operations[fetched]; \
    } while (0)
#define CPU_NEXT()                                             \
    do {                                                       \
        if (MEGA_UNLIKELY(budget <= linear) || CPU_LEAVES()) { \
            goto leave;                                        \
        }                                                      \
        if (linear && MEGA_UNLIKELY(at >= limit)) {            \
            goto find;                                         \
        }                                                      \
        CPU_DISPATCH();                                        \
    } while (0)
#define CPU_LABEL4(code, operation, mode, base) &&operation_##code,
#define CPU_LABEL3(code, operation, base) &&operation_##code,
#else
#define CPU_CASE(code) case code:
#define CPU_NEXT() break
#endif

#define CPU_TRANSFER() ((void)0)
#define CPU_FETCH CPU_FETCH_IMAGE
#define CPU_READ CPU_READ_BUS
#define CPU_WRITE CPU_WRITE_BUS
#define CPU_PUSH CPU_PUSH_BUS

MEGA_NOINLINE uint32_t CPU_RUN(mega_machine *m, uint32_t budget) {
#if MEGA_THREADED
    static const void *const operations[256] = {MEGA_OPCODES(CPU_LABEL4, CPU_LABEL4, CPU_LABEL4, CPU_LABEL3)};
#endif
    const uint32_t linear = CPU_LINEAR, logged = CPU_LOGGED;
    mega_console *console = m->console;
    uint8_t *const ram = console->riot.ram;
    const uint8_t *const image = m->image;
    const uint32_t plain_low = m->run.plain_low, plain_span = m->run.plain_span;
    mega_registers r = cpu_load(&console->cpu);
    uint32_t cycles = console->cycles;
    uint32_t bus = console->bus, exit_bus = bus;
    uint32_t fetched = 0, address = 0, value = 0, low = 0, pointer = 0;
    uint32_t at = r.pc, limit = 0; // straight on, the stretch ends at `limit`
    mega_stretch stretch;
    stretch.low = 0;
    stretch.span = 0;
    stretch.offset = 0;
#if MEGA_THREADED
    if (budget <= linear) {
        goto leave;
    }
    if (!linear) {
        CPU_DISPATCH();
    }
find:
    if (linear) {
        const uint32_t pc = PC();
        stretch = cpu_find_stretch(m, pc);
        if (stretch.span != 0) {
            at = pc + stretch.offset;
            limit = stretch.low + stretch.span;
            CPU_DISPATCH();
        }
        at = pc;
    }
    goto leave;
    MEGA_OPCODES(CASE_READ, CASE_WRITE, CASE_MODIFY, CASE_OTHER)
leave:
#else
    while (budget > linear) {
        if (linear && at >= limit) {
            const uint32_t pc = PC();
            stretch = cpu_find_stretch(m, pc);
            at = pc + stretch.offset;
            limit = stretch.low + stretch.span;
            if (stretch.span == 0) {
                break;
            }
        }
        budget--;
        FETCH_OPCODE();
        switch (fetched & 0xFFu) { MEGA_OPCODES(CASE_READ, CASE_WRITE, CASE_MODIFY, CASE_OTHER) }
        if (CPU_LEAVES()) {
            break;
        }
    }
#endif
    if (linear) {
        r.pc = (uint16_t)PC();
        bus = exit_bus;
    }
    cpu_save(&r, &console->cpu);
    console->cycles = cycles;
    console->bus = (uint8_t)bus;
    return budget;
}

#if MEGA_THREADED
#pragma GCC diagnostic pop
#undef CPU_LABEL4
#undef CPU_LABEL3
#endif
#undef CPU_CASE
#undef CPU_TRANSFER
#undef CPU_FETCH
#undef CPU_READ
#undef CPU_WRITE
#undef CPU_PUSH
#undef CPU_DISPATCH
#undef CPU_NEXT
#undef CPU_RUN
#undef CPU_LINEAR
#undef CPU_LOGGED

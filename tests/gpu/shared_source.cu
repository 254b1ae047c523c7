// shared_source.cu - all of the shared source in one translation unit, for the compilers that must accept it:
// nvcc and NVRTC as a kernel, gcc and clang as C. tests/cli/compilers.sh compiles it; nobody runs it.
#include "mega_env.h"
#include "mega_gym.h"
#include "mega_sound.h"
#include "mega_task_core.h"

typedef struct check_arguments {
    mega_machine *machine;
    mega_stage *stage;
    mega_task_view *task;
    mega_resizer *resizer;
    mega_sound *sound;
    mega_mt19937 *mt;
    mega_pcg64 *pcg;
    uint32_t *draws;
    uint8_t *samples;
    uint32_t numbers[8];
} check_arguments;

// Arguments come from outside and results go there, so that nothing can be left out.
#if defined(__CUDACC__)
extern "C" __global__ void check_everything(check_arguments a, uint32_t *out)
#else
void check_everything(check_arguments a, uint32_t *out);
void check_everything(check_arguments a, uint32_t *out)
#endif
{
    uint32_t seeds[2];
    uint8_t audio[6] = {1, 2, 3, 4, 5, 6};
    console_power_on(a.machine, a.draws);
    console_reset(a.machine, a.draws);
    env_begin_reset(a.stage, a.draws);
    env_finish_reset(a.stage);
    out[0] = console_run_frame(a.machine, a.numbers[0]);
    out[1] = (uint32_t)env_act(a.stage, a.numbers[1], 1.0f);
    task_begin_episode(a.task);
    out[2] = task_draw_noops(a.task);
    out[3] = (uint32_t)task_step(a.task, a.numbers[2], 1.0f).reward;
    resize_prepare(a.resizer, 210, 160, a.numbers[3], a.numbers[4], 1);
    sound_power_on(a.sound);
    sound_generate(a.sound, audio, a.samples, 512);
    mega_mt_seed(a.mt, a.numbers[5]);
    gym_seeds(a.numbers[6], &seeds[0], &seeds[1]);
    pcg64_seed(a.pcg, seeds[0]);
    out[4] = pcg64_integers(a.pcg, 2, 5) + seeds[1];
}

// mega_returns.h - what a policy is taught from rewards: n-step returns, GAE, V-trace. Shared source.
//
// Each function does one environment of a batch, from the last step back to the first. Arrays are [steps][stride] and
// point at that environment's column; those of values have one row more, for the state after the last step.
//
// What a step was, says its flags:
//     MEGA_STEP_TERMINAL  no reward will follow: the value of what comes next is 0
//     MEGA_STEP_CUT       what comes next is another trajectory: its rewards are not this step's
//     MEGA_STEP_VOID      no step of a game, but the reset after one, or waiting for it: nothing is learned from it
// An episode that was cut by the limit of frames is CUT without TERMINAL, and is continued by the value of its last
// observation, which is what the environment shows then; the reset comes with the next step, or later: every step before
// it is VOID.
#ifndef MEGA_RETURNS_H
#define MEGA_RETURNS_H
#include "mega_base.h"

enum {
    MEGA_STEP_TERMINAL = 1,
    MEGA_STEP_CUT = 2,
    MEGA_STEP_VOID = 4
};

// Flags of a step by what environments say of it; `was_over`: the step before ended the episode.
MEGA_FN uint8_t step_flags(uint32_t terminated, uint32_t truncated, uint32_t was_over) {
    if (was_over) {
        return MEGA_STEP_VOID | MEGA_STEP_CUT;
    }
    return (uint8_t)((terminated ? MEGA_STEP_TERMINAL | MEGA_STEP_CUT : 0) | (truncated ? MEGA_STEP_CUT : 0));
}

// Whether the episode is over for the next step, too. With `waits` nobody begins another one until the learner pauses.
MEGA_FN uint8_t step_is_over(uint32_t ended, uint32_t was_over, uint32_t waits) {
    return ended || (was_over && waits) ? 1 : 0;
}

// Flags of the step before a reset in the learner's pause, which puts the new episode's first observation where the old
// one's last was: a step that needs its value is no sample any more.
MEGA_FN uint8_t step_flags_restarted(uint32_t flags) {
    const uint32_t is_cut = (flags & (MEGA_STEP_CUT | MEGA_STEP_TERMINAL)) == MEGA_STEP_CUT;
    return (uint8_t)(flags | (is_cut ? MEGA_STEP_VOID : 0));
}

// R_t = r_t + discount * R_{t+1}, and R = V after the last step (equation 1 of CuLE, t_max steps at most).
MEGA_FN void returns_n_step(const float *rewards, const uint8_t *flags, const float *values, uint32_t steps,
                            uint32_t stride, float discount, float *targets) {
    float next = values[steps * stride];
    for (uint32_t t = steps; t-- > 0;) {
        const uint32_t i = t * stride;
        if (flags[i] & MEGA_STEP_CUT) {
            next = values[i + stride];
        }
        if (flags[i] & MEGA_STEP_TERMINAL) {
            next = 0.0f;
        }
        next = flags[i] & MEGA_STEP_VOID ? values[i] : rewards[i] + discount * next;
        targets[i] = next;
    }
}

// Generalised advantage estimation (Schulman et al. 2016): A_t = delta_t + discount * lambda * A_{t+1} with
// delta_t = r_t + discount * V_{t+1} - V_t. The target of the value is A_t + V_t.
MEGA_FN void returns_gae(const float *rewards, const uint8_t *flags, const float *values, uint32_t steps,
                         uint32_t stride, float discount, float lambda, float *advantages, float *targets) {
    float next = 0.0f;
    for (uint32_t t = steps; t-- > 0;) {
        const uint32_t i = t * stride;
        const float follows = flags[i] & MEGA_STEP_TERMINAL ? 0.0f : values[i + stride];
        const float trace = flags[i] & MEGA_STEP_CUT ? 0.0f : next;
        const float delta = rewards[i] + discount * follows - values[i];
        next = flags[i] & MEGA_STEP_VOID ? 0.0f : delta + discount * lambda * trace;
        advantages[i] = next;
        targets[i] = next + values[i];
    }
}

// V-trace (equations 3 to 9 of CuLE): `ratios` are pi(a|s) / mu(a|s), `values` those of the present network. The
// policy's gradient is advantages[t] * grad log pi, with rho_t in it; the value is drawn to targets[t].
MEGA_FN void returns_v_trace(const float *rewards, const uint8_t *flags, const float *values,
                             const float *ratios, uint32_t steps, uint32_t stride, float discount,
                             float rho_max, float c_max, float *advantages, float *targets) {
    float next_target = values[steps * stride]; // v_{t+1}
    for (uint32_t t = steps; t-- > 0;) {
        const uint32_t i = t * stride;
        float next_value = values[i + stride];
        if (flags[i] & MEGA_STEP_CUT) {
            next_target = next_value;
        }
        if (flags[i] & MEGA_STEP_TERMINAL) {
            next_target = next_value = 0.0f;
        }
        const float rho = ratios[i] < rho_max ? ratios[i] : rho_max,
                    c = ratios[i] < c_max ? ratios[i] : c_max;
        const float delta = rho * (rewards[i] + discount * next_value - values[i]);
        const float target = values[i] + delta + discount * c * (next_target - next_value);
        const uint32_t is_void = flags[i] & MEGA_STEP_VOID;
        advantages[i] = is_void ? 0.0f : rho * (rewards[i] + discount * next_target - values[i]);
        next_target = is_void ? values[i] : target;
        targets[i] = next_target;
    }
}

#endif

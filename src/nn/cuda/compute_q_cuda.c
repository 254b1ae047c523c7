// compute_q_cuda.c - Q-learners' work on a GPU: launches of the kernels of nn.cu. See compute_q.h.
#include "compute_cuda.h"
#include "compute_q.h"

static mega_status q_values(cuda_compute *cuda, mega_q_shape shape, const mega_pass *pass, float *q) {
    uint32_t batch = pass->batch;
    const float *logits = pass->logits, *values = pass->values;
    NN_RUN(cuda, learn_q_values, (uint64_t)batch * shape.actions, &shape, &logits, &values, &batch, &q);
    return MEGA_OK;
}

static int cuda_values(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass, float *q,
                       mega_message *message) {
    return cuda_message(q_values((cuda_compute *)compute, *shape, pass, q), message);
}

static mega_status q_targets(cuda_compute *cuda, mega_q_shape shape, const mega_pass *pass,
                             mega_q_lesson lesson) {
    uint32_t batch = pass->batch;
    const float *logits = pass->logits, *values = pass->values;
    NN_RUN(cuda, learn_q_targets, batch, &shape, &logits, &values, &batch, &lesson.chooser, &lesson.returns,
           &lesson.discounts, &lesson.targets);
    return MEGA_OK;
}

static int cuda_targets(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass,
                        const mega_q_lesson *lesson, mega_message *message) {
    return cuda_message(q_targets((cuda_compute *)compute, *shape, pass, *lesson), message);
}

static mega_status q_lose(cuda_compute *cuda, mega_q_shape shape, mega_q_loss loss, mega_pass *pass) {
    uint32_t batch = pass->batch;
    const uint32_t blocks = cuda_stat_blocks(batch);
    const float *logits = pass->logits, *values = pass->values;
    float *logit_grads = pass->logit_grads, *value_grads = pass->value_grads;
    NN_RUN_BLOCKS(cuda, learn_q_loss, blocks, &shape, &loss.actions, &loss.weights, &loss.targets, &loss.clip,
                  &batch, &logits, &values, &logit_grads, &value_grads, &loss.errors, &cuda->partials);
    return cuda_compute_add_stats(cuda, blocks);
}

static int cuda_loss(mega_compute *compute, const mega_q_shape *shape, const mega_q_loss *loss,
                     mega_pass *pass, mega_message *message) {
    return cuda_message(q_lose((cuda_compute *)compute, *shape, *loss, pass), message);
}

const mega_q_ops mega_q_ops_cuda = {.values = cuda_values, .targets = cuda_targets, .loss = cuda_loss};

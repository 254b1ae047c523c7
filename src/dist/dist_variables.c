// dist_variables.c - what the environment says about other processes; see dist_parts.h.
#include "dist_parts.h"

#include <stdlib.h>
#include <string.h>

const char *mega_dist_text(const char *name) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

static bool read_number(const char *text, uint32_t *value) {
    const size_t length = strlen(text);
    if (length < 1 || length > 9 || strspn(text, "0123456789") != length) {
        return false;
    }
    *value = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

int mega_dist_variable(const char *name, uint32_t least, uint32_t most, uint32_t *value,
                       mega_message *message) {
    const char *text = mega_dist_text(name);
    *value = 0;
    if (text == NULL) {
        return mega_message_set(message,
                                "the variable %s is not set; ranks that meet over TCP need RANK, WORLD_SIZE, "
                                "MASTER_ADDR and MASTER_PORT",
                                name);
    }
    uint32_t number;
    if (!read_number(text, &number) || number < least || number > most) {
        return mega_message_set(message, "the variable %s is '%s'; it has to be a number from %u to %u", name,
                                text, least, most);
    }
    *value = number;
    return 0;
}

uint32_t mega_dist_launched(void) {
    // Open MPI, MPICH and those made from it, MVAPICH, and Slurm's srun (within a batch script, too, there are
    // variables of Slurm: this one is not among them).
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = mega_dist_text(names[i]);
        uint32_t number = 0;
        if (text != NULL && read_number(text, &number) && number > most) {
            most = number;
        }
    }
    return most;
}

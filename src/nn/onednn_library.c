// onednn_library.c - see onednn_library.h.
#ifdef MEGA_HAS_ONEDNN
#include "onednn_library.h"

#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define LIBRARY "libdnnl.so." TEXT(DNNL_VERSION_MAJOR)

#define ENTRY(name) {#name, offsetof(mega_onednn, name)},
static const mega_library_entry functions[] = {ONEDNN_FUNCTIONS(ENTRY)};
static const mega_library_entry thread_functions[] = {ENTRY(omp_set_num_threads) ENTRY(
    omp_get_num_procs) ENTRY(omp_get_thread_num) ENTRY(omp_get_num_threads) ENTRY(GOMP_parallel)};
#undef ENTRY

// What the process has opened; written once, under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mega_onednn opened;
static bool is_opened;

// GNU's OpenMP lets threads spin for milliseconds when they wait. Where other threads want the cores (consoles, other
// programs), two threads are then many times slower than one. It reads its settings while it is opened.
static void *open_patiently(const char *name) {
    const bool is_set = getenv("GOMP_SPINCOUNT") != NULL || getenv("OMP_WAIT_POLICY") != NULL;
    if (!is_set) {
        (void)setenv("GOMP_SPINCOUNT", "2000", 1); // some ten microseconds
    }
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!is_set) {
        (void)unsetenv("GOMP_SPINCOUNT");
    }
    return library;
}

static int open_library(mega_onednn *table, mega_message *message) {
    const char *chosen = getenv("MEGACADE_LIBDNNL");
    const char *name = chosen != NULL && chosen[0] != '\0' ? chosen : LIBRARY;
    void *library = open_patiently(name);
    if (library == NULL) {
        return mega_message_set(message, "oneDNN cannot be opened: %s", dlerror());
    }
    const char *lacking = library_fill(library, functions, sizeof functions / sizeof functions[0], table);
    if (lacking != NULL) {
        (void)dlclose(library);
        return mega_message_set(message, "oneDNN cannot be used: %s lacks %s", name, lacking);
    }
    const int major = table->dnnl_version()->major;
    if (major != DNNL_VERSION_MAJOR) {
        (void)dlclose(library);
        return mega_message_set(message, "oneDNN cannot be used: %s is version %d, and this build is for %d",
                                name, major, DNNL_VERSION_MAJOR);
    }
    // The library's dependencies are looked through, too. All or none: parts need all of these functions.
    mega_onednn threads = *table;
    if (library_fill(library, thread_functions, sizeof thread_functions / sizeof thread_functions[0],
                     &threads) == NULL) {
        *table = threads;
    }
    return 0; // its threads are never taken back, so it stays open
}

int mega_onednn_open(const mega_onednn **out, mega_message *message) {
    int result = 0;
    *out = NULL;
    pthread_mutex_lock(&lock);
    if (!is_opened) {
        mega_onednn table = {0};
        result = open_library(&table, message);
        if (result == 0) {
            opened = table;
            is_opened = true;
        }
    }
    pthread_mutex_unlock(&lock);
    if (result == 0) {
        *out = &opened;
    }
    return result;
}

// ---- threads -----------------------------------------------------------------------------------------

typedef struct job {
    const mega_onednn *library;
    mega_onednn_work work;
    void *data;
} job;

static void work_in_thread(void *data) {
    const job *job = (const struct job *)data;
    job->work(job->data, (uint32_t)job->library->omp_get_thread_num(),
              (uint32_t)job->library->omp_get_num_threads());
}

void mega_onednn_parallel(const mega_onednn *library, uint32_t threads, mega_onednn_work work, void *data) {
    if (library->GOMP_parallel == NULL || threads < 2) {
        work(data, 0, 1);
        return;
    }
    job job = {library, work, data};
    library->GOMP_parallel(work_in_thread, &job, threads, 0);
}
#else
typedef int mega_onednn_is_missing; // a file needs something in it
#endif

// translation.c - see translation.h.
//
// One lock guards the list and everything in its entries but `run`. An entry's thread works without it, on the parts
// that do not change. A child process has no threads but its own: entries that were being worked on begin again
// there with their next user.
#include "translation.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "code_cache.h"
#include "native_code.h"

#define PATIENCE_SECONDS 1 // programs that end sooner need no compiler
#define UNUSED_MAX 16      // entries that are kept without users
#define CORES_PER_WORKER 4 // a compilation may take as many (program_parts.h)

typedef enum entry_state {
    IDLE,    // nothing has been tried, or it was given up
    WORKING, // a thread is at it
    DONE     // as good as it gets
} entry_state;

typedef struct entry {
    mega_translation shown; // first: users have a pointer to it
    struct entry *next;
    char key[MEGA_SHA256_TEXT_SIZE];
    mega_host_compiler compiler;
    mega_cartridge cartridge;
    uint8_t *image;
    mega_native native;
    uint32_t users;
    entry_state state;
    bool hurry; // somebody waits, or will
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static entry *entries; // newest first
static bool has_told;
static uint32_t workers; // threads that are making code

// ---- fork --------------------------------------------------------------------------------------------

static void before_fork(void) {
    pthread_mutex_lock(&lock);
}
static void after_fork(void) {
    pthread_mutex_unlock(&lock);
}
static void after_fork_in_child(void) {
    for (entry *e = entries; e != NULL; e = e->next) {
        e->state = e->state == WORKING ? IDLE : e->state;
    }
    workers = 0;
    pthread_cond_init(&changed, NULL);
    pthread_mutex_unlock(&lock);
}
static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

// ---- entries -----------------------------------------------------------------------------------------

static void free_entry(entry *e) {
    native_close(&e->native);
    free(e->image);
    free(e);
}

// The lock is held. Unused entries beyond the number that is kept are removed, oldest first.
static void tidy(void) {
    uint32_t unused = 0;
    for (entry **link = &entries; *link != NULL;) {
        entry *e = *link;
        if (e->users == 0 && e->state != WORKING && (e->state == IDLE || ++unused > UNUSED_MAX)) {
            *link = e->next;
            free_entry(e);
        } else {
            link = &e->next;
        }
    }
}

// The lock is held.
static entry *find_entry(const char *key) {
    for (entry *e = entries; e != NULL; e = e->next) {
        if (strcmp(e->key, key) == 0) {
            return e;
        }
    }
    return NULL;
}

// The lock is held.
static entry *add_entry(const mega_host_compiler *compiler, const mega_cartridge *cartridge,
                        const uint8_t *image, const char *key) {
    entry *e = calloc(1, sizeof(*e));
    uint8_t *copy = malloc(cartridge->image_size);
    if (e == NULL || copy == NULL) {
        free(e);
        free(copy);
        return NULL;
    }
    memcpy(copy, image, cartridge->image_size);
    memcpy(e->key, key, sizeof(e->key));
    e->compiler = *compiler;
    e->cartridge = *cartridge;
    e->image = copy;
    e->next = entries;
    entries = e;
    return e;
}

// ---- work --------------------------------------------------------------------------------------------

// The lock is held.
static void tell(const char *why) {
    if (!has_told) {
        has_told = true;
        fprintf(
            stderr,
            "megacade: cartridges are interpreted, not translated: %s (MEGACADE_TRANSLATE=0 hides this)\n",
            why);
    }
}

// The lock is held.
static void finish(entry *e, const mega_native *native) {
    e->native = *native;
    e->state = DONE;
    atomic_store_explicit(&e->shown.run, native->run, memory_order_release);
    pthread_cond_broadcast(&changed);
}

static bool never(void *context) {
    (void)context;
    return false;
}

// Waits until it is worth it; false if nobody is interested any more. The lock is held.
static bool is_wanted(entry *e) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    int result = 0;
    while (!e->hurry && e->users > 0 && result != ETIMEDOUT) {
        result = pthread_cond_timedwait(&changed, &lock, &until);
    }
    return e->hurry || e->users > 0;
}

// Many cartridges at once must not mean many more compilers than cores. The lock is held.
static void take_turn(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = cores > CORES_PER_WORKER ? (uint32_t)cores / CORES_PER_WORKER : 1u;
    while (workers >= most) {
        pthread_cond_wait(&changed, &lock);
    }
    workers++;
}

static mega_status make_native(entry *e, mega_native *out) {
    if (e->compiler.path[0] == '\0') {
        return host_compiler_find(&e->compiler); // for the message
    }
    return native_make(&e->compiler, &e->cartridge, e->image, e->key, out);
}

static void *work(void *context) {
    entry *e = context;
    mega_native native = {0};
    int turn;
    pthread_mutex_lock(&lock);
    const bool wanted = is_wanted(e);
    if (wanted) {
        take_turn();
    } else {
        e->state = IDLE;
        tidy();
    }
    pthread_mutex_unlock(&lock);
    if (!wanted) {
        return NULL;
    }
    mega_status status = MEGA_OK;
    (void)code_cache_lock(e->key, never, NULL, &turn);
    if (!native_load(e->key, &native)) { // else another process was faster
        status = make_native(e, &native);
    }
    code_cache_unlock(e->key, turn);
    pthread_mutex_lock(&lock);
    if (status != MEGA_OK) {
        tell(mega_last_error());
    }
    workers--;
    finish(e, &native);
    pthread_mutex_unlock(&lock);
    return NULL;
}

// The lock is held. Where no thread can be started there is no code.
static void start_work(entry *e) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) == 0) {
        e->state = WORKING;
        if (pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) != 0 ||
            pthread_create(&thread, &attributes, work, e) != 0) {
            e->state = IDLE;
        }
        pthread_attr_destroy(&attributes);
    }
}

// ---- users -------------------------------------------------------------------------------------------

uint8_t translation_choose(uint8_t how) {
    const char *text = getenv("MEGACADE_TRANSLATE");
    if (getauxval(AT_SECURE) != 0) {
        return MEGA_TRANSLATE_OFF; // the environment of such a program is not to be trusted
    }
    if (text != NULL && strcmp(text, "0") == 0) {
        return MEGA_TRANSLATE_OFF;
    }
    if (text != NULL && strcmp(text, "now") == 0 && how == MEGA_TRANSLATE_AUTO) {
        return MEGA_TRANSLATE_NOW;
    }
    return how;
}

// The lock is held.
static void use_entry(entry *e, uint8_t how) {
    mega_native native;
    e->users++;
    if (e->state == IDLE) {
        if (native_load(e->key, &native)) {
            finish(e, &native);
        } else {
            start_work(e);
        }
    }
    if (how == MEGA_TRANSLATE_NOW && e->state == WORKING) {
        e->hurry = true;
        pthread_cond_broadcast(&changed);
    }
}

mega_translation *translation_acquire(const mega_cartridge *cartridge, const uint8_t *image, uint8_t how) {
    char key[MEGA_SHA256_TEXT_SIZE];
    mega_host_compiler compiler;
    how = translation_choose(how);
    if (how == MEGA_TRANSLATE_OFF) {
        return NULL;
    }
    pthread_once(&once, watch_forks);
    // Without a compiler the path is empty, and the thread says so if anybody is still there by then.
    (void)host_compiler_find(&compiler);
    native_key(&compiler, cartridge, image, key);
    pthread_mutex_lock(&lock);
    entry *e = find_entry(key);
    e = e != NULL ? e : add_entry(&compiler, cartridge, image, key);
    if (e != NULL) {
        use_entry(e, how);
    }
    pthread_mutex_unlock(&lock);
    return e != NULL ? &e->shown : NULL;
}

void translation_wait(mega_translation *translation) {
    if (translation != NULL) {
        entry *e = (entry *)translation;
        pthread_mutex_lock(&lock);
        while (e->hurry && e->state == WORKING) {
            pthread_cond_wait(&changed, &lock);
        }
        pthread_mutex_unlock(&lock);
    }
}

void translation_release(mega_translation *translation) {
    if (translation != NULL) {
        entry *e = (entry *)translation;
        pthread_mutex_lock(&lock);
        e->users--;
        pthread_cond_broadcast(&changed); // a thread that is still patient need not go on
        tidy();
        pthread_mutex_unlock(&lock);
    }
}

#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* POSIX promises that a function's address survives in a void *, C does not; so bytes move. */
static attend_status fill(const at_library *l, void *handle, attend_error *err)
{
    _Static_assert(sizeof(void *) == sizeof(void (*)(void)), "a function's address fits");
    char *to = l->functions;
    for (int i = 0; l->symbols[i]; i++) {
        void *symbol = dlsym(handle, l->symbols[i]);
        if (!symbol)
            return at_error(err, ATTEND_FILE, "%s: has no %s; install a newer %s", l->file,
                            l->symbols[i], l->package);
        memcpy(to + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
    }
    return ATTEND_OK;
}

static attend_status load(at_library *l, attend_error *err)
{
    void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return at_error(err, ATTEND_FILE, "%s is needed for this: %s (Debian: apt install %s)",
                        l->file, dlerror(), l->package);
    attend_status status = fill(l, handle, err);
    l->loaded = status >= 0;
    if (status < 0)
        dlclose(handle);
    return status;
}

attend_status at_library_load(at_library *l, attend_error *err)
{
    pthread_mutex_lock(&lock);
    attend_status status = l->loaded ? ATTEND_OK : load(l, err);
    pthread_mutex_unlock(&lock);
    return status;
}

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- failures: planted and real -------------------------------------------------------- */

static atomic_long fail_after = -1;
static atomic_int fail_error;
static atomic_size_t max_write = 1 << 30; /* Linux itself stops at 2 GB */

void at_file_fail_after(long n, int error)
{
    atomic_store(&fail_error, error);
    atomic_store(&fail_after, n);
}

void at_file_set_max_write(size_t bytes) { atomic_store(&max_write, bytes); }

/* asked before every system call that can fail */
static bool planted_failure(void)
{
    long left = atomic_load(&fail_after);
    if (left < 0)
        return false;
    if (left > 0) {
        atomic_fetch_sub(&fail_after, 1);
        return false;
    }
    errno = atomic_load(&fail_error);
    return true;
}

static const char *remedy(int error)
{
    switch (error) {
    case ENOENT: return "check the path";
    case EACCES:
    case EPERM: return "check the permissions";
    case ENOSPC:
    case EDQUOT: return "free some space or choose another disk";
    case EFBIG: return "raise the limit on file sizes (ulimit -f)";
    case EROFS: return "choose another folder";
    case EISDIR: return "name a file inside it";
    case ENOTDIR: return "a part of the path is not a folder";
    case EMFILE:
    case ENFILE: return "raise the limit on open files (ulimit -n)";
    case ENAMETOOLONG: return "use a shorter name";
    case EIO: return "check the disk";
    default: return "check the path and the disk";
    }
}

/* what: "cannot open"; the cause is in errno */
static attend_status fail(attend_error *err, const char *path, const char *what)
{
    int error = errno;
    char buffer[100];
    attend_status status = error == ENOMEM ? ATTEND_MEMORY : ATTEND_FILE;
    return at_error(err, status, "%s: %s: %s; %s", at_show(path).text, what,
                    strerror_r(error, buffer, sizeof buffer), remedy(error));
}

attend_status at_file_fail(attend_error *err, const char *path, const char *what)
{
    return fail(err, path, what);
}

at_shown at_show(const char *name)
{
    at_shown shown;
    size_t size = strlen(name), capacity = sizeof shown.text - 1;
    char *out = shown.text;
    const char *in = name;
    if (size > capacity) {
        in += size - (capacity - 3);
        while ((*in & 0xc0) == 0x80) /* not into the middle of a UTF-8 character */
            in++;
        memcpy(out, "...", 3);
        out += 3;
    }
    strcpy(out, in);
    at_printable(shown.text);
    return shown;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Opens what can be read: anything but a folder. */
static attend_status open_to_read(const char *path, int flags, int *file, struct stat *info,
                                  attend_error *err)
{
    *file = planted_failure() ? -1 : open(path, O_RDONLY | O_CLOEXEC | flags);
    if (*file < 0)
        return fail(err, path, "cannot open");
    bool known = !planted_failure() && fstat(*file, info) == 0;
    if (known && !S_ISDIR(info->st_mode))
        return ATTEND_OK;
    if (known)
        errno = EISDIR;
    attend_status status = fail(err, path, "cannot read");
    close(*file);
    return status;
}

attend_status at_file_open(const char *path, int *file, attend_error *err)
{
    struct stat info;
    return open_to_read(path, 0, file, &info, err);
}

static attend_status not_regular(const char *path, attend_error *err)
{
    return at_error(err, ATTEND_FILE, "%s: is a pipe or a device; give a regular file",
                    at_show(path).text);
}

static int64_t modified_at(const struct stat *info)
{
    return (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
}

bool at_map_unchanged(const at_map *m)
{
    struct stat info;
    return !m->size
           || (fstat(m->file, &info) == 0 && (size_t)info.st_size == m->size
               && modified_at(&info) == m->modified);
}

static attend_status map_all(at_map *m, int file, const struct stat *info, const char *path,
                             attend_error *err)
{
    if (!S_ISREG(info->st_mode))
        return not_regular(path, err);
    if (info->st_size == 0)
        return ATTEND_OK;
    size_t size = (size_t)info->st_size;
    void *data = MAP_FAILED;
    errno = EFBIG;
    if ((uintmax_t)info->st_size <= SIZE_MAX && !planted_failure())
        data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
        return fail(err, path, "cannot map into memory");
    *m = (at_map){.data = data, .size = size, .file = file, .modified = modified_at(info)};
    return ATTEND_OK;
}

attend_status at_map_open(at_map *m, const char *path, attend_error *err)
{
    int file;
    struct stat info;
    *m = (at_map){.data = (const unsigned char *)""};
    /* without NONBLOCK, opening a pipe that nobody writes to would wait for ever */
    attend_status status = open_to_read(path, O_NONBLOCK, &file, &info, err);
    if (status < 0)
        return status;
    status = map_all(m, file, &info, path, err);
    if (!m->size)
        close(file);
    return status;
}

void at_map_close(at_map *m)
{
    if (m->size) {
        munmap((void *)m->data, m->size);
        close(m->file);
    }
    *m = (at_map){.data = (const unsigned char *)""};
}

void at_map_retire(const void *data, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)data + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)data + size) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

ptrdiff_t at_file_get(int file, void *out, size_t size)
{
    for (;;) {
        ssize_t got = planted_failure() ? -1 : read(file, out, size);
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

static attend_status too_large(const char *path, size_t limit, attend_error *err)
{
    return at_error(err, ATTEND_FILE,
                    "%s: is larger than the %zu bytes allowed here; check that it is the right "
                    "file",
                    at_show(path).text, limit);
}

typedef struct {
    char *text;
    size_t size, capacity; /* text has one byte more, for the NUL */
} content;

static bool reserve(content *c, size_t capacity)
{
    char *text = at_realloc(c->text, c->size, capacity + 1);
    if (!text)
        return false;
    c->text = text;
    c->capacity = capacity;
    return true;
}

/* Up to the end of the file, or one byte more than limit. */
static attend_status read_all(int file, content *c, size_t limit, const char *path,
                              attend_error *err)
{
    for (;;) {
        ptrdiff_t got = at_file_get(file, c->text + c->size, c->capacity - c->size);
        if (got < 0)
            return fail(err, path, "cannot read");
        c->size += (size_t)got;
        if (c->size > limit)
            return too_large(path, limit, err);
        if (got == 0)
            return ATTEND_OK;
        size_t capacity = c->capacity < limit / 2 ? c->capacity * 2 : limit + 1;
        if (c->size == c->capacity && !reserve(c, capacity))
            return at_error_memory(err);
    }
}

static attend_status read_file(int file, const struct stat *info, const char *path, size_t limit,
                               content *c, attend_error *err)
{
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4;
    /* a pipe says 0; a file can still grow: one byte more shows its end at once */
    if (info->st_size > 0 && (uintmax_t)info->st_size > limit)
        return too_large(path, limit, err);
    if (!reserve(c, info->st_size > 0 ? (size_t)info->st_size + 1 : 1 << 12))
        return at_error_memory(err);
    return read_all(file, c, limit, path, err);
}

/* flags: O_NONBLOCK for a regular file alone, as for at_map_open */
static attend_status read_path(const char *path, int flags, size_t limit, char **text, size_t *size,
                               attend_error *err)
{
    int file;
    struct stat info;
    content c = {0};
    *text = NULL;
    attend_status status = open_to_read(path, flags, &file, &info, err);
    if (status < 0)
        return status;
    status = flags && !S_ISREG(info.st_mode) ? not_regular(path, err)
                                             : read_file(file, &info, path, limit, &c, err);
    close(file);
    if (status < 0) {
        at_free(c.text);
        return status;
    }
    c.text[c.size] = 0;
    *text = c.text;
    if (size)
        *size = c.size;
    return ATTEND_OK;
}

attend_status at_file_read(const char *path, size_t limit, char **text, size_t *size,
                           attend_error *err)
{
    return read_path(path, O_NONBLOCK, limit, text, size, err);
}

attend_status at_input_read(const char *path, size_t limit, char **text, size_t *size,
                            attend_error *err)
{
    return read_path(path, 0, limit, text, size, err);
}

/* ---- writing --------------------------------------------------------------------------- */

struct at_writer {
    char *path;         /* as given, for messages */
    char *name;         /* its last part */
    char temporary[48]; /* the name of the file until commit, or "" when there is none */
    int folder;         /* names are looked up in here: no change of directory does harm */
    int file;           /* -1 when closed */
    attend_error error; /* the first failure */
    size_t used;
    unsigned char buffer[1 << 16];
};

/* Temporary files that a signal handler can find. It may come at any moment: a place is taken
 * first, and counts when its name is there. */
enum { FREE, TAKEN, NAMED };
static struct {
    atomic_int state;
    int folder;
    char name[48];
} unfinished[32];

static void enlist(const at_writer *w)
{
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++) {
        int none = FREE;
        if (!atomic_compare_exchange_strong(&unfinished[i].state, &none, TAKEN))
            continue;
        unfinished[i].folder = w->folder;
        memcpy(unfinished[i].name, w->temporary, sizeof w->temporary);
        atomic_store(&unfinished[i].state, NAMED);
        return;
    }
}

static void delist(const at_writer *w)
{
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++)
        if (atomic_load(&unfinished[i].state) == NAMED && unfinished[i].folder == w->folder
            && strcmp(unfinished[i].name, w->temporary) == 0)
            atomic_store(&unfinished[i].state, FREE);
}

void at_writers_discard(void)
{
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++)
        if (atomic_load(&unfinished[i].state) == NAMED)
            unlinkat(unfinished[i].folder, unfinished[i].name, 0);
}

/* closes and removes the temporary file */
static void discard(at_writer *w)
{
    if (w->file >= 0)
        close(w->file);
    if (*w->temporary) {
        unlinkat(w->folder, w->temporary, 0);
        delist(w);
    }
    w->file = -1;
    *w->temporary = 0;
}

static void writer_fail(at_writer *w, const char *what)
{
    fail(&w->error, w->path, what);
    discard(w);
}

static void writer_free(at_writer *w)
{
    discard(w);
    if (w->folder >= 0)
        close(w->folder);
    at_free(w->path);
    at_free(w);
}

/* The name in the folder must be free or that of a regular file: what is renamed over a device
 * would replace it. Takes over the permissions of the file that is replaced. */
static bool check_target(at_writer *w, mode_t *mode)
{
    struct stat info;
    *mode = 0;
    bool folder_named = !*w->name || !strcmp(w->name, ".") || !strcmp(w->name, "..");
    if (!folder_named && fstatat(w->folder, w->name, &info, 0) < 0)
        return true; /* it is not there; or whatever is wrong shows when the file is made */
    if (folder_named || S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        fail(&w->error, w->path, "cannot write");
        return false;
    }
    if (!S_ISREG(info.st_mode)) {
        not_regular(w->path, &w->error);
        return false;
    }
    *mode = info.st_mode & 0777;
    return true;
}

/* Not mkostemp: its files are readable by their owner alone, which the user's umask should say. */
static void open_temporary(at_writer *w)
{
    static atomic_uint counter;
    for (int tries = 0; tries < 100 && w->file < 0; tries++) {
        snprintf(w->temporary, sizeof w->temporary, ".attend-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
        w->file = planted_failure() ? -1 : openat(w->folder, w->temporary, flags, 0666);
        if (w->file < 0 && errno != EEXIST) /* EEXIST: left behind by a process that was killed */
            break;
    }
    if (w->file < 0) {
        *w->temporary = 0;
        writer_fail(w, "cannot create a file beside it");
    } else {
        enlist(w);
    }
}

static void open_folder(at_writer *w)
{
    char *slash = strrchr(w->path, '/');
    w->name = slash ? slash + 1 : w->path;
    char first = *w->name;
    *w->name = 0; /* leaves the folder with its slash, which is right for "/" too */
    if (!planted_failure())
        w->folder = open(slash ? w->path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    *w->name = first;
    if (w->folder < 0)
        fail(&w->error, w->path, "cannot open its folder");
}

attend_status at_writer_open(at_writer **out, const char *path, attend_error *err)
{
    mode_t mode;
    *out = NULL;
    at_writer *w = at_alloc(sizeof *w);
    char *copy = at_strdup(path);
    if (!w || !copy) {
        at_free(w);
        at_free(copy);
        return at_error_memory(err);
    }
    w->path = copy;
    w->folder = w->file = -1;
    w->used = 0;
    *w->temporary = 0;
    w->error.status = ATTEND_OK;
    open_folder(w);
    if (w->error.status >= 0 && check_target(w, &mode))
        open_temporary(w);
    if (w->error.status < 0)
        return at_writer_commit(w, err);
    if (mode)
        (void)!fchmod(w->file, mode); /* some file systems have no permissions */
    *out = w;
    return ATTEND_OK;
}

static void write_all(at_writer *w, const unsigned char *data, size_t size)
{
    while (size && w->error.status >= 0) {
        size_t max = atomic_load(&max_write), part = size < max ? size : max;
        ssize_t done = planted_failure() ? -1 : write(w->file, data, part);
        if (done < 0 && errno != EINTR)
            writer_fail(w, "cannot write");
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
}

static void flush(at_writer *w)
{
    write_all(w, w->buffer, w->used);
    w->used = 0;
}

attend_status at_writer_write(at_writer *w, const void *data, size_t size)
{
    if (w->error.status < 0 || !size)
        return w->error.status;
    if (size > sizeof w->buffer - w->used)
        flush(w);
    if (size >= sizeof w->buffer) {
        write_all(w, data, size);
    } else {
        memcpy(w->buffer + w->used, data, size);
        w->used += size;
    }
    return w->error.status;
}

/* fsync, where the file system has it */
static bool sync_to_disk(int file)
{
    int done;
    do
        done = planted_failure() ? -1 : fsync(file);
    while (done < 0 && errno == EINTR);
    return done == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

/* NFS and quotas tell of a full disk as late as here */
static bool close_file(at_writer *w)
{
    int done = close(w->file);
    w->file = -1;
    return !planted_failure() && (done == 0 || errno == EINTR);
}

/* Makes the new name last. A folder that may not be read cannot be flushed. */
static void sync_folder(at_writer *w)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int folder = planted_failure() ? -1 : openat(w->folder, ".", flags);
    if (folder < 0 && errno == EACCES)
        return;
    if (folder < 0 || !sync_to_disk(folder))
        fail(&w->error, w->path, "is written, but its folder could not be flushed to the disk");
    if (folder >= 0)
        close(folder);
}

static void rename_to_target(at_writer *w)
{
    if (planted_failure() || renameat(w->folder, w->temporary, w->folder, w->name) < 0) {
        writer_fail(w, "cannot replace it");
        return;
    }
    delist(w);
    *w->temporary = 0;
    sync_folder(w);
}

attend_status at_writer_commit(at_writer *w, attend_error *err)
{
    if (w->error.status >= 0)
        flush(w);
    if (w->error.status >= 0 && !sync_to_disk(w->file))
        writer_fail(w, "cannot flush to the disk");
    if (w->error.status >= 0 && !close_file(w))
        writer_fail(w, "cannot write");
    if (w->error.status >= 0)
        rename_to_target(w);
    attend_status status = w->error.status;
    if (status < 0 && err)
        *err = w->error;
    writer_free(w);
    return status;
}

attend_status at_file_write(const char *path, const at_str *text, attend_error *err)
{
    at_writer *w;
    if (!path || text->failed)
        return at_error_memory(err);
    attend_status status = at_writer_open(&w, path, err);
    if (status < 0)
        return status;
    at_writer_write(w, at_str_text(text), text->length);
    return at_writer_commit(w, err);
}

void at_writer_abort(at_writer *w)
{
    if (w)
        writer_free(w);
}

/* ---- names ----------------------------------------------------------------------------- */

bool at_file_ends(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

bool at_file_exists(const char *path) { return access(path, F_OK) == 0; }

char *at_file_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (*name == '/' || !length)
        return at_strdup(name);
    const char *slash = folder[length - 1] == '/' ? "" : "/";
    size_t size = length + strlen(name) + 2;
    char *joined = at_alloc(size);
    if (joined)
        snprintf(joined, size, "%s%s%s", folder, slash, name);
    return joined;
}

static attend_status make_one(const char *path, attend_error *err)
{
    struct stat info;
    if (!planted_failure() && mkdir(path, 0777) == 0)
        return ATTEND_OK;
    int error = errno;
    if (stat(path, &info) < 0) {
        errno = error;
        return fail(err, path, "cannot make the folder");
    }
    if (!S_ISDIR(info.st_mode))
        return at_error(err, ATTEND_FILE,
                        "%s: is a file, but a folder is wanted; choose another name",
                        at_show(path).text);
    return ATTEND_OK;
}

attend_status at_folder_make(const char *path, attend_error *err)
{
    char *part = at_strdup(path);
    if (!part)
        return at_error_memory(err);
    attend_status status = ATTEND_OK;
    for (char *c = part + 1; *part && *c && status >= 0; c++)
        if (*c == '/' && c[-1] != '/') {
            *c = 0;
            status = make_one(part, err);
            *c = '/';
        }
    if (status >= 0)
        status = make_one(part, err);
    at_free(part);
    return status;
}

/* Is it the temporary file of a process that is no more? */
static bool left_behind(const char *name)
{
    long process;
    unsigned count;
    int end = 0;
    return sscanf(name, ".attend-%ld-%u.tmp%n", &process, &count, &end) == 2 && end && !name[end]
           && process > 0 && kill((pid_t)process, 0) < 0 && errno == ESRCH;
}

void at_folder_sweep(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (left_behind(e->d_name))
            unlinkat(dirfd(folder), e->d_name, 0);
    if (folder)
        closedir(folder);
}

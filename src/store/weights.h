/* Parameters in files, and lists of tensors on their way to one.
 *
 *     at_store_list l = {0};
 *     at_store_params(&l, "param.", params);
 *     at_store_add(&l, "optim.", "x.step", at_store_data(..));
 *     at_store_list_save(&l, path, note, text, err);           frees the list */
#ifndef ATTEND_STORE_WEIGHTS_H
#define ATTEND_STORE_WEIGHTS_H

#include "base/arena.h"
#include "grad/params.h"
#include "store/safetensors.h"

typedef struct {
    at_to_store *item;
    at_arena names;
    int count, room;
    bool failed; /* memory ran out; saving says so */
} at_store_list;

/* Adds a tensor called prefix and name, both copied; its numbers are borrowed. */
void at_store_add(at_store_list *l, const char *prefix, const char *name, at_to_store t);
void at_store_params(at_store_list *l, const char *prefix, at_params *params);

/* Writes the file with one note (or none: NULL), atomically, and frees the list. */
attend_status at_store_list_save(at_store_list *l, const char *path, const char *note,
                                 const char *text, attend_error *err);

void at_store_list_free(at_store_list *l); /* without writing it */

/* The type that numbers of ours are kept in without loss. */
at_dtype at_dtype_of_real(void);

/* All parameters of a set, and every tensor of a file whose name begins with the prefix, which is
 * taken off it, as new parameters of a set. */
attend_status at_weights_save(const char *path, at_params *params, attend_error *err);
attend_status at_weights_read(const at_safetensors *file, const char *prefix, at_params *params,
                              attend_error *err);

/* The same without a copy: the parameters are those of the mapped file, in the types that they have
 * there, which the set closes when it is freed. A tensor is verified, and checked for numbers that
 * are not finite, when it is first used. The file may be replaced or removed meanwhile, but must
 * not be cut short in place. */
attend_status at_weights_borrow(const char *path, at_params *params, attend_error *err);

/* A mapped file that lends its tensors, one by one, to the set that closes it. */
typedef struct {
    at_safetensors *file;
    at_lender lender;
} at_lent_file;

attend_status at_weights_lend(const char *path, at_params *params, at_lent_file **out,
                              attend_error *err);

/* A tensor of the file as a parameter of that name and shape, of as many numbers. */
attend_status at_weights_borrow_tensor(const at_lent_file *from, const at_stored *t,
                                       const char *name, at_shape shape, at_params *params,
                                       attend_error *err);

/* A copy from a file by its name. */
attend_status at_weights_load(const char *path, const char *prefix, at_params *params,
                              attend_error *err);

#endif

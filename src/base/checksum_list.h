/* Checksums of the small files in a folder, in a list beside them, attend-checksums.txt:
 *
 *     # Checksums of files that attend wrote; ...
 *     e6c632b61e964e1f  config.json              the checksum (base/checksum.h) and the name
 *     78af5f94892f3950  (this list)              of everything above this line, which is the last
 *
 * A folder without the list was written by another program, and is read unverified. So that a
 * process can be killed at any moment, files are written between two lists:
 *
 *     at_checksum_list_clear(folder, err);       a list without files
 *     ... write the files, each atomically ...
 *     at_checksum_list_save(folder, names, err);                                                 */
#ifndef ATTEND_BASE_CHECKSUM_LIST_H
#define ATTEND_BASE_CHECKSUM_LIST_H

#include <stdbool.h>

#include "base/error.h"

#define ATTEND_CHECKSUM_LIST "attend-checksums.txt"

/* Replaces the list, where there is one, by one without files. */
attend_status at_checksum_list_clear(const char *folder, attend_error *err);

/* Lists those of the names (up to a NULL) that are files of the folder. */
attend_status at_checksum_list_save(const char *folder, const char *const *names,
                                    attend_error *err);

/* Removes the list. */
void at_checksum_list_remove(const char *folder);

/* Takes a file of the list, or the list itself, and what is wrong with it: NULL where it matches.
 */
typedef void at_checksum_report(void *user, const char *path, const attend_error *fault);

/* Fails with the first file that is missing or does not match, or where the list itself is
 * damaged. report may be NULL; else every file is verified and reported, and the result is the
 * first fault. */
attend_status at_checksum_list_verify(const char *folder, at_checksum_report *report, void *user,
                                      attend_error *err);

/* Takes the files of the list as they are now; without a list there is nothing to do. */
attend_status at_checksum_list_update(const char *folder, attend_error *err);

#endif

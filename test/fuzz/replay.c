/*
 * replay.c - runs a fuzzer without libFuzzer: every file of the folders given, then mutations of them
 * by a fixed sequence of random numbers. What gcc and any machine can do; it looks at no coverage.
 *     fuzz_NAME -runs=N DIR...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LENGTH 8192
#define MAX_FILES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    uint8_t *bytes;
    size_t length;
} files[MAX_FILES];
static size_t file_count;

static uint64_t state = 0x9e3779b97f4a7c15u;

static size_t below(size_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return bound > 0 ? (size_t)(state >> 11) % bound : 0;
}

static void read_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *item;

    if (dir == NULL) {
        perror(folder);
        exit(1);
    }
    while ((item = readdir(dir)) != NULL && file_count < MAX_FILES) {
        char path[4096];
        uint8_t buffer[MAX_LENGTH];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (item->d_name[0] == '.' || (file = fopen(path, "rb")) == NULL)
            continue;
        files[file_count].length = fread(buffer, 1, sizeof buffer, file);
        files[file_count].bytes = malloc(files[file_count].length + 1);
        memcpy(files[file_count].bytes, buffer, files[file_count].length);
        file_count++;
        fclose(file);
    }
    closedir(dir);
}

/* One change in place: a bit, a byte, an interesting number, a run moved, removed or taken elsewhere. */
static size_t mutate(uint8_t *data, size_t length)
{
    static const uint8_t bytes[] = {0, 1, 2, 0x7f, 0x80, 0xff, '"', '{', '}', '[', ',', '0', '9', '-'};
    size_t at = below(length), run = 1 + below(16), from;

    if (length == 0)
        return 0;
    switch (below(6)) {
    case 0:
        data[at] ^= (uint8_t)(1 << below(8));
        break;
    case 1:
        data[at] = bytes[below(sizeof bytes)];
        break;
    case 2:
        memset(data + at, bytes[below(6)], run < length - at ? run : length - at);
        break;
    case 3: /* remove */
        run = run < length - at ? run : length - at;
        memmove(data + at, data + at + run, length - at - run);
        length -= run;
        break;
    case 4: /* repeat */
        run = run < length - at ? run : length - at;
        if (length + run <= MAX_LENGTH) {
            memmove(data + at + run, data + at, length - at);
            length += run;
        }
        break;
    default: { /* the same place of another file, or any */
        size_t other = below(file_count);

        from = below(2) ? at : below(files[other].length);
        if (from < files[other].length) {
            run = run < files[other].length - from ? run : files[other].length - from;
            run = run < length - at ? run : length - at;
            memcpy(data + at, files[other].bytes + from, run);
        }
        break;
    }
    }
    return length;
}

int main(int argc, char **argv)
{
    unsigned long runs = 20000, done = 0;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-runs=", 6) == 0)
            runs = strtoul(argv[i] + 6, NULL, 10);
        else if (argv[i][0] != '-')
            read_folder(argv[i]);
    }
    if (file_count == 0) {
        fprintf(stderr, "no files to begin with\n");
        return 1;
    }
    for (size_t i = 0; i < file_count; i++, done++)
        LLVMFuzzerTestOneInput(files[i].bytes, files[i].length);
    for (; done < runs; done++) {
        static uint8_t data[MAX_LENGTH];
        size_t source = below(file_count), length = files[source].length;

        memcpy(data, files[source].bytes, length);
        for (size_t changes = 1 + below(4); changes > 0; changes--)
            length = mutate(data, length);
        LLVMFuzzerTestOneInput(data, length);
    }
    printf("Done %lu runs\n", done);
    return 0;
}

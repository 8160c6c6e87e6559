/* Flights without Python: opens flight files, makes instances, and calls the compiled kernels. See interstage.h. */
#include "interstage.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined _WIN32
#include <malloc.h>
#define aligned_room(n) _aligned_malloc(n, 64)
#define aligned_free(p) _aligned_free(p)
#else
#define aligned_room(n) aligned_alloc(64, n)
#define aligned_free(p) free(p)
#endif
#define HIDDEN __attribute__((visibility("hidden"), used))
#define THREAD _Thread_local

#include "kernels.h" /* VERSION, WELL and statuses of the kernels, TABLE: names and addresses of functions */

static THREAD IstInstance *flying; /* the instance whose kernels run in this thread */
static THREAD int raised;          /* what should never run was called: an error inside a kernel */

/* what kernels call ------------------------------------------------------------------------------------------- */

typedef struct {
    size_t references;
    void (*gone)(void *, size_t, void *);
    void *info, *data;
    size_t size;
    void *outside;
} Array;

HIDDEN void *ist_rt_NRT_Allocate(size_t n) { return malloc(n ? n : 1); }
HIDDEN void ist_rt_NRT_Free(void *p) { free(p); }
HIDDEN void *ist_rt_NRT_MemInfo_alloc_aligned(size_t size, unsigned align) {
    size_t a = align < 16 ? 16 : align, head = (sizeof(Array) + a - 1) / a * a;
    Array *m = malloc(head + size + a);
    if (!m) return NULL;
    m->references = 1;
    m->gone = NULL;
    m->info = m->outside = NULL;
    m->data = (void *)(((uintptr_t)m + sizeof(Array) + a - 1) / a * a);
    m->size = size;
    return m;
}
HIDDEN void *ist_rt_NRT_MemInfo_alloc(size_t size) { return ist_rt_NRT_MemInfo_alloc_aligned(size, 16); }
HIDDEN void *ist_rt_NRT_MemInfo_alloc_safe(size_t size) { return ist_rt_NRT_MemInfo_alloc_aligned(size, 16); }
HIDDEN void *ist_rt_NRT_MemInfo_alloc_safe_aligned(size_t size, unsigned align) {
    return ist_rt_NRT_MemInfo_alloc_aligned(size, align);
}
HIDDEN void ist_rt_NRT_MemInfo_call_dtor(Array *m) {
    if (m->gone) m->gone(m->data, m->size, m->info);
    free(m);
}
/* arrays of kernels belong to the thread that made them */
HIDDEN void ist_rt_NRT_incref(Array *m) {
    if (m) m->references++;
}
HIDDEN void ist_rt_NRT_decref(Array *m) {
    if (m && --m->references == 0) ist_rt_NRT_MemInfo_call_dtor(m);
}
/* Strides of a contiguous array in another shape; of others there are none, and the kernel raises. */
HIDDEN int ist_rt_numba_attempt_nocopy_reshape(int64_t axes, const int64_t *lengths, const int64_t *strides,
                                               int64_t new_axes, const int64_t *new_lengths, int64_t *new_strides,
                                               int64_t item, int fortran) {
    int64_t n = item, k;
    if (fortran) return 0;
    for (k = axes - 1; k >= 0; k--) {
        if (lengths[k] != 1 && strides[k] != n) return 0;
        n *= lengths[k];
    }
    n = item;
    for (k = new_axes - 1; k >= 0; k--) {
        new_strides[k] = n;
        n *= new_lengths[k];
    }
    return 1;
}
#include "stubs.h" /* what stands for the interpreter on the way of errors */

/* SHA-256 (FIPS 180-4) ---------------------------------------------------------------------------------------- */

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))

static void mix(uint32_t h[8], const uint8_t *p) {
    uint32_t w[64], s[8];
    int k;
    for (k = 0; k < 16; k++) w[k] = (uint32_t)p[4 * k] << 24 | p[4 * k + 1] << 16 | p[4 * k + 2] << 8 | p[4 * k + 3];
    for (; k < 64; k++)
        w[k] = w[k - 16] + w[k - 7] + (TURN(w[k - 15], 7) ^ TURN(w[k - 15], 18) ^ w[k - 15] >> 3) +
               (TURN(w[k - 2], 17) ^ TURN(w[k - 2], 19) ^ w[k - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (k = 0; k < 64; k++) {
        uint32_t a = s[7] + (TURN(s[4], 6) ^ TURN(s[4], 11) ^ TURN(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + ROUND[k] + w[k];
        uint32_t b = (TURN(s[0], 2) ^ TURN(s[0], 13) ^ TURN(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (k = 0; k < 8; k++) h[k] += s[k];
}

static void digest_of(const uint8_t *p, size_t n, uint8_t out[32]) {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128] = {0};
    uint64_t bits = 8 * (uint64_t)n;
    size_t left = n % 64, size = left < 56 ? 64 : 128, k;
    for (k = 0; k + 64 <= n; k += 64) mix(h, p + k);
    memcpy(last, p + n - left, left);
    last[left] = 0x80;
    for (k = 0; k < 8; k++) last[size - 1 - k] = (uint8_t)(bits >> 8 * k);
    for (k = 0; k < size; k += 64) mix(h, last + k);
    for (k = 0; k < 32; k++) out[k] = (uint8_t)(h[k / 4] >> (24 - 8 * (k % 4)));
}

/* the file: MAGIC, digest of what follows, HEAD numbers, tables, text, and from a multiple of 64 on the image -------- */

#define MAGIC "ISTFLY\0\2"
enum {
    N_FUNCTIONS, N_LINKS, N_PORTS, N_DEVICES, N_LAWS, N_EVENTS, N_VALUES, TEXT, CONSTANT, SLOTS, STATE, NQ, NV, NZ, /* lengths */
    HANDLE, ROWS, DATA, Q, V, QDOT, VDOT, PAUSE, PACE, OPTION, FLAG, FAILED_AT, INSIDE, Z, ZDOT, BACK, WATCH, EYES, /* places */
    TITLE, /* place in the text */
    UNTIL, /* a number, not a whole one: the end of the flight */
    HEAD
};
enum { TO_CONSTANT, TO_INSTANCE, TO_CODE }; /* kinds of links */
enum { NOTHING = -1, OUTSIDE = -2 };        /* functions that are in no table */
typedef struct {
    int64_t slot, kind, target;
} Link;
typedef struct {
    int64_t name, unit, kind, at, size, whole;
    double low, high;
} Port;
typedef struct {
    int64_t row, name;
} Named;
/* what happens where a number comes to its level, at a time, or at the start: the function `switch` of a device runs (0: there
   is none), values are set, the flight ends. The first kind is watched, and comes first in the file. */
enum { WATCHED, TIMED, AT_START };
typedef struct {
    int64_t kind, function, row, name, at, level_at, direction, once, looked; /* looked: discrete, looked at after every step */
    int64_t first, stops, n_values, rest_first, rests, rest_stops, n_rest; /* and where it accumulates, if anything is said */
    double level, tolerance, time;
} EventRow;
typedef struct {
    int64_t at, whole;
    double value;
} ValueRow;
/* what is known of one: its side, value and rate at the last look, how large it was, when it fired last, whether it is at
   rest; after it has fired which side it came from, its value then, whether it was thrown back; whether it is over */
typedef struct {
    double sign, value, rate, size, fired, resting, fresh, front, was, noise, returns, over;
} Eye;

struct IstFlight {
    uint8_t *file;
    const uint8_t *digest, *constant, *start;
    const int64_t *head, *functions;
    const Link *links;
    const Port *ports;
    const Named *devices, *laws;
    const EventRow *events;
    const ValueRow *values;
    const char *text;
    void (**code)(void);
};
struct IstInstance {
    const IstFlight *flight;
    uint8_t *base, *before, *seen; /* slots and state; state before a look, and as it was seen */
    double pause;
    int fresh, status; /* whether `seen` is of the present time; why the flight ended */
    IstLaw *laws;
    void **users;
    char *stops;
    double *kept, *kept_at, *brought, brought_at; /* states inside of a step, and the one that signals are of */
    int n_kept;
    char message[256];
};
/* what a look into a step has found of a crossing: whether it happens and where, whether it is at rest; else how it is */
typedef struct {
    double s, sign, value;
    int happens, rests, fresh;
} Found;
#define STEPPED 100 /* the kernels stand after a step in which a crossing might be, or at the time of an event */
#define CAME_TO 101
#define BEGAN 1.0   /* whether events are watched: 0, not yet; CHANGED: states or parameters were set since */
#define CHANGED 2.0
#define DOUBLINGS 1100 /* of a tolerance: no step is longer */
#define KEPT 48 /* states inside of a step, then others */
enum { BEGUN = KEPT, HERE, NOW, MOVED, ROOM };
typedef int64_t (*Entry)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, int64_t, int64_t);

const char *ist_version(void) { return VERSION; }

static IstFlight *refused(IstFlight *f, char *why, size_t room, const char *words, const char *more) {
    if (why && room) snprintf(why, room, "%s%s", words, more);
    ist_close(f);
    return NULL;
}

static int within(int64_t at, int64_t size, int64_t room) { return at >= 0 && size >= 0 && size <= room && at <= room - size; }

/* how many events are of a kind, or of those before it */
static int64_t up_to(const IstFlight *f, int kind) {
    int64_t n = 0;
    while (n < f->head[N_EVENTS] && f->events[n].kind <= kind) n++;
    return n;
}
static int64_t watched(const IstFlight *f) { return up_to(f, WATCHED); }

static const char *wrong_places(const IstFlight *f) {
    const int64_t *h = f->head, whole = h[SLOTS] + h[STATE];
    const int64_t need[][2] = {{HANDLE, 8}, {ROWS, 8}, {DATA, 8}, {Q, 8 * h[NQ]}, {V, 8 * h[NV]}, {QDOT, 8 * h[NQ]},
                               {VDOT, 8 * h[NV]}, {PAUSE, 24}, {PACE, 8 * PACE_SIZE}, {OPTION, 56}, {FLAG, 24}, {FAILED_AT, 8}, {INSIDE, 8},
                               {Z, 8 * h[NZ]}, {ZDOT, 8 * h[NZ]}, {BACK, 8 * (h[NQ] + h[NV] + h[NZ])}, {WATCH, 8 * WATCH_SIZE * watched(f)},
                               {EYES, h[N_EVENTS] ? 8 + (int64_t)sizeof(Eye) * h[N_EVENTS] : 0}};
    int64_t k;
    for (k = 0; k < (int64_t)(sizeof need / sizeof *need); k++)
        if (!within(h[need[k][0]], need[k][1], whole) || h[need[k][0]] % 8) return "a place in the image";
    for (k = 0; k < h[N_FUNCTIONS]; k++)
        if (!within(f->functions[k], 1, h[TEXT])) return "the name of a function";
    for (k = 0; k < h[N_LINKS]; k++) {
        const Link *l = f->links + k;
        int64_t room = l->kind == TO_CONSTANT ? h[CONSTANT] : l->kind == TO_INSTANCE ? whole : h[N_FUNCTIONS];
        if (l->kind < TO_CONSTANT || l->kind > TO_CODE || !within(l->slot, 8, h[SLOTS]) || l->slot % 8) return "a link";
        if (!within(l->target, l->kind == TO_CODE ? 1 : 0, room) && !(l->kind == TO_CODE && (l->target == NOTHING || l->target == OUTSIDE)))
            return "the target of a link";
    }
    for (k = 0; k < h[N_PORTS]; k++) {
        const Port *p = f->ports + k;
        if (!within(p->name, 1, h[TEXT]) || !within(p->unit, 1, h[TEXT]) || p->kind < IST_INPUT || p->kind > IST_V ||
            p->size > INT32_MAX || p->at < h[SLOTS] || p->at % 8 || p->size < 0 || !within(p->at, 8 * p->size, whole))
            return "a port";
    }
    for (k = 0; k < h[N_EVENTS]; k++) {
        const EventRow *c = f->events + k;
        if (!within(c->name, 1, h[TEXT]) || !within(c->function, 1, h[N_FUNCTIONS]) || c->row < 0 || c->row % 8 ||
            !within(c->row, 0, h[SLOTS]) || !within(c->level_at, 8, whole) || c->level_at % 8 || c->direction < -1 || c->direction > 1 ||
            !(c->tolerance > 0.0) || !within(c->first, c->n_values, h[N_VALUES]) || !within(c->rest_first, c->n_rest, h[N_VALUES]) ||
            c->kind < WATCHED || c->kind > AT_START || (k && c->kind < c[-1].kind) ||
            (c->kind == WATCHED && (c->at < h[SLOTS] || c->at % 8 || !within(c->at, 8, whole))))
            return "an event";
    }
    for (k = 0; k < h[N_VALUES]; k++)
        if (f->values[k].at < h[SLOTS] || f->values[k].at % 8 || !within(f->values[k].at, 8, whole)) return "a value";
    for (k = 0; k < h[N_DEVICES] + h[N_LAWS]; k++)
        if (!within(f->devices[k].name, 1, h[TEXT]) || !within(f->devices[k].row, k < h[N_DEVICES] ? 0 : 8, whole) || f->devices[k].row % 8) return "a device";
    if (!within(h[TITLE], 1, h[TEXT]) || f->text[h[TEXT] - 1]) return "the text";
    return NULL;
}

static IstFlight *opened(IstFlight *f, size_t size, char *why, size_t room) {
    static const int64_t BYTES[] = {8, sizeof(Link), sizeof(Port), sizeof(Named), sizeof(Named), sizeof(EventRow), sizeof(ValueRow), 1};
    const int64_t *h;
    const char *wrong;
    uint8_t sum[32];
    size_t at = 40 + 8 * HEAD;
    int64_t k, j;
    if (size < 8 || memcmp(f->file, MAGIC, 7)) return refused(f, why, room, "this is no flight file", "");
    if (f->file[7] != (uint8_t)MAGIC[7]) return refused(f, why, room, "the flight file is of another version of the format", "");
    if (size < at) return refused(f, why, room, "the flight file is cut off", "");
    digest_of(f->file + 40, size - 40, sum);
    if (memcmp(sum, f->file + 8, 32)) return refused(f, why, room, "the flight file is damaged: its digest is another", "");
    f->digest = f->file + 8;
    h = f->head = (const int64_t *)(f->file + 40);
    for (k = 0; k <= NZ; k++)
        if (h[k] < 0 || h[k] > (int64_t)size) return refused(f, why, room, "the flight file has a length that cannot be", "");
    f->functions = (const int64_t *)(f->file + at);
    for (k = N_FUNCTIONS; k <= TEXT; k++) {
        if ((uint64_t)h[k] * (uint64_t)BYTES[k] > size - at) return refused(f, why, room, "the flight file is cut off", "");
        at += (size_t)(h[k] * BYTES[k]);
        if (k == N_FUNCTIONS) f->links = (const Link *)(f->file + at);
        if (k == N_LINKS) f->ports = (const Port *)(f->file + at);
        if (k == N_PORTS) f->devices = (const Named *)(f->file + at);
        if (k == N_LAWS) f->events = (const EventRow *)(f->file + at);
        if (k == N_EVENTS) f->values = (const ValueRow *)(f->file + at);
        if (k == N_VALUES) f->text = (const char *)(f->file + at);
    }
    f->laws = f->devices + h[N_DEVICES];
    at = (at + 63) / 64 * 64;
    if (at > size || size - at != (size_t)(h[CONSTANT] + h[SLOTS] + h[STATE])) return refused(f, why, room, "the flight file is cut off", "");
    f->constant = f->file + at;
    f->start = f->constant + h[CONSTANT];
    if (h[TEXT] < 1 || h[N_FUNCTIONS] < 1 || h[CONSTANT] % 64 || h[SLOTS] % 64 || h[STATE] % 64)
        return refused(f, why, room, "the flight file has a length that cannot be", "");
    if ((wrong = wrong_places(f))) return refused(f, why, room, "the flight file is wrong in ", wrong);
    f->code = calloc((size_t)h[N_FUNCTIONS], sizeof *f->code);
    if (!f->code) return refused(f, why, room, "no memory", "");
    for (k = 0; k < h[N_FUNCTIONS]; k++) {
        const char *name = f->text + f->functions[k];
        for (j = 0; j < (int64_t)(sizeof TABLE / sizeof *TABLE); j++)
            if (!strcmp(TABLE[j].name, name) && TABLE[j].entry == (k == 0)) f->code[k] = TABLE[j].code;
        if (!f->code[k]) return refused(f, why, room, "this library does not have ", name);
    }
    return f;
}

IstFlight *ist_open_bytes(const void *bytes, size_t size, char *why, size_t room) {
    IstFlight *f = calloc(1, sizeof *f);
    if (f) f->file = size < PTRDIFF_MAX - 64 ? aligned_room((size + 64) / 64 * 64) : NULL;
    if (!f || !f->file) return refused(f, why, room, "no memory", "");
    memcpy(f->file, bytes, size);
    return opened(f, size, why, room);
}

IstFlight *ist_open(const char *path, char *why, size_t room) {
    IstFlight *f = NULL;
    FILE *p = fopen(path, "rb");
    size_t size = 0, most = 1 << 16, n;
    uint8_t *bytes = p ? malloc(most) : NULL, *more;
    if (!p) return refused(NULL, why, room, "cannot be read: ", path);
    while (bytes && (n = fread(bytes + size, 1, most - size, p)) > 0) {
        if ((size += n) < most) continue;
        if (most > SIZE_MAX / 2 || !(more = realloc(bytes, most *= 2))) {
            free(bytes);
            bytes = NULL;
        } else
            bytes = more;
        /* a pipe or a device without an end is no flight */
        if (bytes && memcmp(bytes, MAGIC, 7)) break;
    }
    fclose(p);
    f = bytes ? ist_open_bytes(bytes, size, why, room) : refused(NULL, why, room, "no memory for ", path);
    free(bytes);
    return f;
}

void ist_close(IstFlight *f) {
    if (!f) return;
    aligned_free(f->file);
    free(f->code);
    free(f);
}

const char *ist_describe(const IstFlight *f) { return f->text + f->head[TITLE]; }
int ist_ports(const IstFlight *f) { return (int)f->head[N_PORTS]; }
int ist_laws(const IstFlight *f) { return (int)f->head[N_LAWS]; }
const char *ist_law_name(const IstFlight *f, int law) { return law < 0 || law >= f->head[N_LAWS] ? NULL : f->text + f->laws[law].name; }

int ist_port(const IstFlight *f, int port, IstPort *said) {
    const Port *p = f->ports + port;
    if (port < 0 || port >= f->head[N_PORTS]) return IST_REFUSED;
    said->name = f->text + p->name;
    said->unit = f->text + p->unit;
    said->kind = (int)p->kind;
    said->size = (int)p->size;
    said->low = p->low;
    said->high = p->high;
    return IST_OK;
}

int ist_find(const IstFlight *f, const char *name) {
    for (int k = 0; k < f->head[N_PORTS]; k++)
        if (!strcmp(name, f->text + f->ports[k].name)) return k;
    return -1;
}

/* instances ------------------------------------------------------------------------------------------------------ */

static void nothing(void) { raised = 1; }

/* stands where a law is sampled that is outside of the flight */
static int64_t outside(int64_t row, double t) {
    IstInstance *m = flying;
    const IstFlight *f = m->flight;
    int64_t at = row - (int64_t)(intptr_t)m->base, k;
    (void)t;
    for (k = 0; k < f->head[N_LAWS]; k++)
        if (f->laws[k].row == at) {
            if (m->laws[k]) return m->laws[k](m->users[k], m, t) ? 0 : WELL;
            return m->stops[k] ? HELD : WELL;
        }
    return 0;
}

static double *number(const IstInstance *m, int place, int k) { return (double *)(m->base + m->flight->head[place]) + k; }

void ist_reset(IstInstance *m) {
    const IstFlight *f = m->flight;
    const int64_t *h = f->head;
    memcpy(m->base, f->start, (size_t)(h[SLOTS] + h[STATE]));
    for (int64_t k = 0; k < h[N_LINKS]; k++) {
        const Link *l = f->links + k;
        void (*code)(void) = NULL;
        int64_t to = 0;
        if (l->kind == TO_CODE) code = l->target == NOTHING ? nothing : l->target == OUTSIDE ? (void (*)(void))outside : f->code[l->target];
        if (l->kind == TO_CODE) to = (int64_t)(intptr_t)code;
        else to = (int64_t)(intptr_t)((l->kind == TO_CONSTANT ? f->constant : m->base) + l->target);
        memcpy(m->base + l->slot, &to, 8);
    }
    m->fresh = m->status = 0;
    m->brought = NULL;
    m->pause = INFINITY;
    m->message[0] = 0;
}

IstInstance *ist_new(const IstFlight *f) {
    const int64_t *h = f->head;
    IstInstance *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->flight = f;
    m->base = aligned_room((size_t)(h[SLOTS] + h[STATE]) + 64);
    m->before = malloc((size_t)h[STATE] + 1);
    m->seen = malloc((size_t)h[STATE] + 1);
    m->laws = calloc((size_t)h[N_LAWS] + 1, sizeof *m->laws);
    m->users = calloc((size_t)h[N_LAWS] + 1, sizeof *m->users);
    m->stops = calloc((size_t)h[N_LAWS] + 1, 1);
    m->kept = calloc((size_t)(h[NQ] + h[NV] + h[NZ]) * (h[N_EVENTS] ? ROOM : 0) + 1, sizeof *m->kept);
    m->kept_at = calloc(KEPT + (size_t)h[N_EVENTS] * (3 + sizeof(Found) / sizeof(double)), sizeof *m->kept_at);
    if (!m->base || !m->before || !m->seen || !m->laws || !m->users || !m->stops || !m->kept || !m->kept_at) {
        ist_free(m);
        return NULL;
    }
    ist_reset(m);
    return m;
}

void ist_free(IstInstance *m) {
    if (!m) return;
    aligned_free(m->base);
    free(m->before);
    free(m->seen);
    free(m->laws);
    free(m->users);
    free(m->stops);
    free(m->kept);
    free(m->kept_at);
    free(m);
}

static int says(IstInstance *m, int status, const char *words, const char *of, double t) {
    snprintf(m->message, sizeof m->message, "%s%s at t = %.9g", words, of, t);
    return status;
}

/* an error of a device; the text of its function is known by the row of its numbers */
static int raised_by(IstInstance *m, int64_t row, double t) {
    const IstFlight *f = m->flight;
    const char *name = "";
    for (int64_t k = 0; k < f->head[N_DEVICES] + f->head[N_LAWS]; k++)
        if (f->devices[k].row == row) name = f->text + f->devices[k].name;
    return says(m, IST_DEVICE, "an error was raised by ", name, t);
}

/* run the kernels: task, state and time as `perform` takes them; returns a status of the header, or STEPPED */
static int perform(IstInstance *m, int task, double *q, double *v, double t) {
    const IstFlight *f = m->flight;
    const int64_t *h = f->head, b = (int64_t)(intptr_t)m->base;
    IstInstance *other = flying;
    const int64_t *flag = (const int64_t *)(m->base + h[FLAG]);
    int64_t status, k;
    flying = m;
    raised = 0;
    status = ((Entry)f->code[0])(b + h[HANDLE], b + h[ROWS], b + h[DATA], task, (int64_t)(intptr_t)q, (int64_t)(intptr_t)v, 0, t, b + h[QDOT], b + h[VDOT]);
    flying = other;
    if (flag[0]) return raised_by(m, flag[2] - b, *number(m, FAILED_AT, 0));
    if (raised) return says(m, IST_STUCK, "an error was raised inside a kernel", "", ist_time(m));
    for (k = 0; k < h[NQ]; k++)
        if (!isfinite(q[k])) status = -1;
    for (k = 0; k < h[NV]; k++)
        if (!isfinite(v[k])) status = -1;
    for (k = 0; k < h[NZ]; k++)
        if (!isfinite(*number(m, Z, (int)k))) status = -1;
    if (status == -1) return says(m, IST_INFINITE, "the flight went to infinity", "", ist_time(m));
    if (status == K_DONE) return IST_OK;
    if (status == K_PAUSED) return IST_PAUSED;
    if (status == K_WAITS) return IST_LAW;
    if (status == K_STEPPED) return STEPPED;
    if (status == K_TIMED) return CAME_TO;
    snprintf(m->message, sizeof m->message, "the steps of the method became too short, or forward dynamics has no answer (status %lld), at t = %.9g",
             (long long)status, ist_time(m));
    return IST_STUCK;
}

static void switch_of(IstInstance *m, const EventRow *c, double t);
static void come_to_time(IstInstance *m);

/* crossings: found in time as `event_location.py` does, to the same bits ------------------------------------------- */

static int64_t length(const IstInstance *m) { return m->flight->head[NQ] + m->flight->head[NV] + m->flight->head[NZ]; }
static double *room(const IstInstance *m, int k) { return m->kept + k * length(m); }
static Eye *eye_of(const IstInstance *m, int64_t k) { return (Eye *)number(m, EYES, 1) + k; }
static double sign_of(double g) { return g > 0.0 ? 1.0 : g < 0.0 ? -1.0 : 0.0; }
static double tolerance_at(const EventRow *c, double t) {
    const double least = 4.0 * DBL_EPSILON * fabs(t);
    return least > c->tolerance ? least : c->tolerance;
}

static void take(const IstInstance *m, double *x) { /* where the flight stands */
    const int64_t *h = m->flight->head;
    memcpy(x, number(m, Q, 0), 8 * (size_t)h[NQ]);
    memcpy(x + h[NQ], number(m, V, 0), 8 * (size_t)h[NV]);
    memcpy(x + h[NQ] + h[NV], number(m, Z, 0), 8 * (size_t)h[NZ]);
}

static void put(IstInstance *m, const double *x) {
    const int64_t *h = m->flight->head;
    memcpy(number(m, Q, 0), x, 8 * (size_t)h[NQ]);
    memcpy(number(m, V, 0), x + h[NQ], 8 * (size_t)h[NV]);
    memcpy(number(m, Z, 0), x + h[NQ] + h[NV], 8 * (size_t)h[NZ]);
}

static void failed(IstInstance *m, int status) {
    if (status != IST_OK && !m->status) m->status = status;
}

/* let all signals be those at a time and state, which lies in `kept` */
static void bring(IstInstance *m, double t, double *x) {
    const int64_t *h = m->flight->head;
    if (m->status || (m->brought == x && m->brought_at == t)) return;
    memcpy(number(m, Z, 0), x + h[NQ] + h[NV], 8 * (size_t)h[NZ]);
    failed(m, perform(m, K_RIGHT_SIDE, x, x + h[NQ], t));
    m->brought = x;
    m->brought_at = t;
}

static double level_of(const IstInstance *m, const EventRow *c) { return c->level_at ? *(double *)(m->base + c->level_at) : c->level; }

static double value_at(IstInstance *m, int64_t k, double t, double *x) {
    const EventRow *c = m->flight->events + k;
    bring(m, t, x);
    return *(double *)(m->base + c->at) - level_of(m, c);
}

/* the state s into a step that began at t: one step of the method from there; those that were asked for are kept */
static double *inside(IstInstance *m, double t, double s) {
    const int64_t *h = m->flight->head;
    double *x;
    int k;
    for (k = 0; k < m->n_kept && k < KEPT; k++)
        if (m->kept_at[k] == s) return room(m, k);
    k = m->n_kept < KEPT ? m->n_kept : 1 + (m->n_kept - 1) % (KEPT - 1); /* the first is the end of the step */
    m->n_kept++;
    x = room(m, k);
    if (m->brought == x) m->brought = NULL;
    memcpy(x, room(m, BEGUN), 8 * (size_t)length(m));
    m->kept_at[k] = s;
    if (s > 0.0 && !m->status) {
        memcpy(number(m, Z, 0), x + h[NQ] + h[NV], 8 * (size_t)h[NZ]);
        *number(m, PACE, K_TIME) = t;
        failed(m, perform(m, K_ONE_STEP, x, x + h[NQ], s));
        memcpy(x + h[NQ] + h[NV], number(m, Z, 0), 8 * (size_t)h[NZ]);
    }
    m->brought = NULL;
    return x;
}

static int fires(const EventRow *c, Eye *e, double t) {
    e->resting = e->resting != 0.0 || t - e->fired < APART * tolerance_at(c, t);
    e->fired = t;
    return e->resting != 0.0;
}

static void note(Eye *e, double g, double rate) {
    e->sign = sign_of(g);
    e->value = g;
    e->rate = rate;
    if (isfinite(g) && fabs(g) > e->size) e->size = fabs(g);
}

/* whether it might reach zero and come back within a step of h that ends with g */
static int near(const Eye *e, double g, double h) {
    const double change = fabs(g - e->value), least = fabs(e->value) < fabs(g) ? fabs(e->value) : fabs(g);
    if (e->sign == 0.0 || sign_of(g) != e->sign || change == 0.0 || !isfinite(e->rate)) return 1;
    return least <= REACH * (change + h * e->rate);
}

/* the crossing to the tolerance, from behind: `sure` and b were in front and behind on the real motion, a between */
static double root(IstInstance *m, int64_t k, double t, double sure, double a, double b, double sign, double gb) {
    const EventRow *c = m->flight->events + k;
    double ga = value_at(m, k, t + a, inside(m, t, a)), tolerance, later;
    int side = 0, halve = 0;
    if (sign_of(ga) != sign && sure < a) {
        b = a, gb = ga, a = sure;
        ga = value_at(m, k, t + a, inside(m, t, a));
    }
    if (sign_of(ga) != sign) ga = sign * fabs(gb);
    tolerance = tolerance_at(c, t), later = tolerance_at(c, t + b);
    if (later > tolerance) tolerance = later;
    while (b - a > tolerance && !m->status) {
        double s = halve || !isfinite(ga - gb) || ga == gb ? 0.5 * (a + b) : (a * gb - b * ga) / (gb - ga), g, width;
        if (a + 0.4 * tolerance > s) s = a + 0.4 * tolerance;
        if (b - 0.4 * tolerance < s) s = b - 0.4 * tolerance;
        g = value_at(m, k, t + s, inside(m, t, s));
        width = b - a;
        if (sign_of(g) == sign) {
            a = s, ga = g;
            if (side == 1) gb = 0.5 * gb;
            side = 1;
        } else {
            b = s, gb = g;
            if (side == -1) ga = 0.5 * ga;
            side = -1;
        }
        halve = b - a > 0.5 * width;
    }
    return b;
}

static int rising(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b; }

/* look at a crossing inside a step of h from t: whether and where it happens, and what is known of it at the end */
static void look_at(IstInstance *m, int64_t k, double t, double h, double last, Found *out) {
    const EventRow *c = m->flight->events + k;
    const Eye *e = eye_of(m, k);
    double sign = e->sign, a = 0.0, sure = 0.0, at[LOOKS + DOUBLINGS + 1];
    int fresh = e->fresh != 0.0, n = 0, j;
    *out = (Found){0};
    for (j = 1; j <= LOOKS; j++) at[n++] = h * j / (LOOKS + 1);
    if (fresh)
        for (double s = tolerance_at(c, t + h); s < h && n < LOOKS + DOUBLINGS; s *= 2.0) at[n++] = s;
    qsort(at, (size_t)n, sizeof *at, rising);
    at[n++] = h;
    for (j = 0; j < n && !m->status; j++) {
        const double s = at[j];
        double g, now;
        int real = s == h || fresh;
        if (j > 0 && s == at[j - 1] && j < n - 1) continue;
        g = s == h ? last : value_at(m, k, t + s, inside(m, t, s));
        if (!real && sign != 0.0 && sign_of(g) != sign) real = 1;
        now = sign_of(g);
        if (fresh) {
            const double ahead = g * e->front, start = e->was * e->front;
            const int back = e->returns != 0.0;
            if (ahead > 0.0) fresh = 0;
            else if (ahead < start - e->noise) {
                fresh = 0;
                if (back || c->rests) {
                    out->happens = out->rests = 1;
                    return;
                }
            }
            if (back) { /* its way to the front is no crossing */
                sign = now != 0.0 ? now : sign, a = sure = s;
                continue;
            }
        }
        if (sign != 0.0 && now != sign && (c->direction == 0 || c->direction == -(int64_t)sign)) {
            out->happens = 1, out->sign = sign, out->fresh = 0, out->value = last;
            out->s = root(m, k, t, sure, a, s, sign, g);
            return;
        }
        if (real || sign == 0.0) sure = s;
        sign = now != 0.0 ? now : sign, a = s;
    }
    out->sign = sign, out->fresh = fresh, out->value = last;
}

/* note how conditions stand after a change at t: what it takes over its level at a stroke has not crossed that.
   `which` (count) : the events that have fired, with their values before in `kept_at` */
static void restart(IstInstance *m, double t, const double *which, int64_t count) {
    const IstFlight *f = m->flight;
    const int64_t n = watched(f);
    double *now = room(m, NOW), *crossed = m->kept_at + KEPT, front, g, noise;
    take(m, now);
    m->brought = NULL;
    for (int64_t k = 0; k < n && !m->status; k++) {
        const EventRow *c = f->events + k;
        Eye *e = eye_of(m, k);
        int fired = 0;
        if (e->over != 0.0) continue;
        for (int64_t j = 0; j < count; j++) fired = fired || which[j] == (double)k;
        g = value_at(m, k, t, now), front = e->sign, noise = 64.0 * DBL_EPSILON * e->size;
        if (!fired) {
            if (e->fresh != 0.0 && sign_of(g) == e->front) e->fresh = 0.0;
        } else if (e->resting != 0.0 || front == 0.0 || front == sign_of(g) || fabs(g - crossed[k]) > 1e-3 * fabs(crossed[k]) + noise)
            e->fresh = 0.0;
        else {
            const int64_t *h = f->head;
            double *moved = room(m, MOVED), s = DRIFT * tolerance_at(c, t), change;
            for (int64_t j = 0; j < h[NQ]; j++) moved[j] = now[j] + s * *number(m, QDOT, (int)j);
            for (int64_t j = 0; j < h[NV]; j++) moved[h[NQ] + j] = now[h[NQ] + j];
            for (int64_t j = 0; j < h[NZ]; j++) moved[h[NQ] + h[NV] + j] = now[h[NQ] + h[NV] + j] + s * *number(m, ZDOT, (int)j);
            m->brought = NULL;
            change = value_at(m, k, t, moved) - g;
            e->returns = change * front > noise;
            e->fresh = e->returns != 0.0 || c->rests;
            e->front = front, e->was = g, e->noise = 1e-3 * fabs(g) + noise;
        }
        e->resting = 0.0;
        note(e, g, INFINITY);
    }
    put(m, now);
    failed(m, perform(m, K_GO_ON, number(m, Q, 0), number(m, V, 0), t));
}

/* let events happen at t and a state: the numbers `which` (count) */
static void fire(IstInstance *m, double t, double *here, const double *which, int64_t count) {
    const IstFlight *f = m->flight;
    const int64_t n = watched(f);
    double *now = room(m, NOW), *crossed = m->kept_at + KEPT;
    int stops = 0;
    for (int64_t j = 0; j < count; j++)
        if (which[j] < (double)n) crossed[(int64_t)which[j]] = value_at(m, (int64_t)which[j], t, here);
    put(m, here);
    bring(m, t, here);
    for (int64_t j = 0; j < count && !m->status; j++) {
        const int64_t k = (int64_t)which[j];
        const EventRow *c = f->events + k;
        Eye *e = eye_of(m, k);
        const int rests = fires(c, e, t) && c->kind == WATCHED;
        const ValueRow *set = f->values + (rests ? c->rest_first : c->first), *end = set + (rests ? c->n_rest : c->n_values);
        if (rests && !c->rests) {
            failed(m, says(m, IST_STUCK, "it fires at ever shorter intervals: ", f->text + c->name, t));
            return;
        }
        stops = stops || (rests ? c->rest_stops : c->stops);
        if (!rests && c->function) switch_of(m, c, t);
        for (; set < end; set++) {
            if (set->whole) *(int64_t *)(m->base + set->at) = (int64_t)set->value;
            else *(double *)(m->base + set->at) = set->value;
        }
        take(m, now);
        m->brought = NULL;
        bring(m, t, now);
        e->over = c->once || c->kind == TIMED;
    }
    restart(m, t, which, count);
    if (stops) failed(m, says(m, IST_ENDED, "an event has ended the flight", "", t));
}

/* look into the step that was taken: go back to the first crossing in it, if there is one */
static void look_into_step(IstInstance *m) {
    const int64_t n = watched(m->flight);
    const double t = *number(m, PACE, K_BACK), t1 = ist_time(m), h = t1 - t;
    double *end = room(m, 0), *values = m->kept_at + KEPT + m->flight->head[N_EVENTS], *which = values + m->flight->head[N_EVENTS];
    double earliest = INFINITY, limit = INFINITY, s = 0.0;
    Found *found = (Found *)(which + m->flight->head[N_EVENTS]);
    int64_t count = 0;
    memcpy(room(m, BEGUN), number(m, BACK, 0), 8 * (size_t)length(m));
    take(m, end);
    m->kept_at[0] = h, m->n_kept = 1, m->brought = NULL;
    for (int64_t k = 0; k < n; k++) {
        const Eye *e = eye_of(m, k);
        found[k] = (Found){0};
        if (e->over != 0.0) continue;
        values[k] = value_at(m, k, t1, end);
        found[k] = (Found){.sign = e->sign, .value = values[k]};
        if (e->fresh == 0.0 && !near(e, values[k], h)) continue;
        look_at(m, k, t, h, values[k], found + k);
        if (!found[k].happens) continue;
        if (found[k].s < earliest) earliest = found[k].s;
        if (m->flight->events[k].tolerance < limit) limit = m->flight->events[k].tolerance;
    }
    if (m->status) return;
    limit += earliest;
    if (earliest == INFINITY) {
        for (int64_t k = 0; k < n; k++) {
            Eye *e = eye_of(m, k);
            const double rate = fabs(values[k] - e->value) / h;
            if (e->over != 0.0) continue;
            note(e, values[k], isfinite(rate) ? rate : INFINITY);
            e->sign = found[k].sign;
            e->fresh = found[k].fresh && !(t1 - e->fired > LATE * tolerance_at(m->flight->events + k, t1));
        }
        put(m, end);
        *number(m, PACE, K_TIME) = t1, *number(m, PACE, K_KNOWN) = 0.0;
        return;
    }
    for (int64_t k = 0; k < n; k++)
        if (found[k].happens && found[k].s <= limit) {
            Eye *e = eye_of(m, k);
            e->resting = found[k].rests;
            if (!found[k].rests) e->sign = found[k].sign;
            if (found[k].s > s) s = found[k].s;
            which[count++] = (double)k;
        }
    put(m, end);
    memcpy(room(m, HERE), s == h ? end : inside(m, t, s), 8 * (size_t)length(m));
    m->brought = NULL;
    put(m, room(m, HERE));
    failed(m, perform(m, K_GO_ON, number(m, Q, 0), number(m, V, 0), t + s));
    if (!m->status) fire(m, t + s, room(m, HERE), which, count);
}

/* let events happen whose time has come, and have steps end at the next one */
static void come_to_time(IstInstance *m) {
    const IstFlight *f = m->flight;
    const int64_t n = up_to(f, TIMED);
    const double t = ist_time(m), late = t + K_SLACK * (1.0 + fabs(t));
    double *which = m->kept_at + KEPT + 2 * f->head[N_EVENTS], next = INFINITY;
    int64_t count = 0;
    for (int64_t k = watched(f); k < n; k++) {
        if (eye_of(m, k)->over != 0.0) continue;
        if (f->events[k].time <= late) which[count++] = (double)k;
        else if (f->events[k].time < next) next = f->events[k].time;
    }
    *number(m, PAUSE, K_HALT_AT) = next;
    if (!count || m->status) return;
    take(m, room(m, HERE));
    m->brought = NULL;
    fire(m, t, room(m, HERE), which, count);
}

/* run the function `switch` of a device where the flight stands */
static void switch_of(IstInstance *m, const EventRow *c, double t) {
    IstInstance *other = flying;
    int64_t answer;
    if (m->status) return;
    flying = m;
    raised = 0;
    answer = ((int64_t (*)(int64_t, double))m->flight->code[c->function])((int64_t)(intptr_t)m->base + c->row, t);
    flying = other;
    if (answer != WELL || raised) failed(m, raised_by(m, c->row, t));
}

/* at the start: devices that ask for it find out how they stand, and signs are noted */
static void begin_watch(IstInstance *m) {
    const IstFlight *f = m->flight;
    const int64_t n = watched(f);
    const double t = ist_time(m);
    double *now = room(m, NOW);
    m->brought = NULL;
    for (int64_t k = up_to(f, TIMED); k < f->head[N_EVENTS]; k++) {
        take(m, now);
        m->brought = NULL;
        bring(m, t, now);
        switch_of(m, f->events + k, t);
    }
    for (int64_t k = n; k < f->head[N_EVENTS]; k++) *eye_of(m, k) = (Eye){.fired = -INFINITY};
    take(m, now);
    m->brought = NULL;
    for (int64_t k = 0; k < n; k++) {
        *eye_of(m, k) = (Eye){.fired = -INFINITY};
        note(eye_of(m, k), value_at(m, k, t, now), INFINITY);
    }
    put(m, now);
    *number(m, EYES, 0) = BEGAN;
    come_to_time(m);
}

/* let compiled steps watch by themselves, unless something has just fired */
static void hand_over(IstInstance *m) {
    int64_t *option = (int64_t *)(m->base + m->flight->head[OPTION]), n = watched(m->flight);
    int alone = 1;
    for (int64_t k = 0; k < n; k++) {
        const Eye *e = eye_of(m, k);
        double *row = number(m, WATCH, (int)k * WATCH_SIZE);
        if (e->over != 0.0) { /* never near its level */
            const double far[] = {INFINITY, -1.0, -INFINITY, 0.0, 0.0, W_HOLDS};
            memcpy(row, far, sizeof far);
            continue;
        }
        alone = alone && e->fresh == 0.0 && !m->flight->events[k].looked;
        row[W_LEVEL] = level_of(m, m->flight->events + k);
        memcpy(row + W_SIGN, e, 4 * sizeof *row);
    }
    option[K_SINGLE] = !alone;
}

static void take_back(IstInstance *m) {
    const int64_t *option = (const int64_t *)(m->base + m->flight->head[OPTION]), n = watched(m->flight);
    for (int64_t k = 0; k < n && !option[K_SINGLE]; k++)
        if (eye_of(m, k)->over == 0.0) memcpy(eye_of(m, k), number(m, WATCH, (int)k * WATCH_SIZE) + W_SIGN, 4 * sizeof(double));
}

double ist_time(const IstInstance *m) { return *number(m, PACE, K_TIME); }
const char *ist_message(const IstInstance *m) { return m->message; }
void ist_pause(IstInstance *m, double t) { m->pause = t; }

int ist_events(const IstFlight *f) { return (int)up_to(f, TIMED); }
const char *ist_event_name(const IstFlight *f, int event) { return event < 0 || event >= ist_events(f) ? NULL : f->text + f->events[event].name; }
double ist_happened(const IstInstance *m, int event) {
    return event < 0 || event >= ist_events(m->flight) || !*number(m, EYES, 0) ? -INFINITY : eye_of(m, event)->fired;
}

int ist_on_law(IstInstance *m, int law, IstLaw call, void *user) {
    if (law < 0 || law >= m->flight->head[N_LAWS]) return says(m, IST_REFUSED, "there is no such law", "", ist_time(m));
    m->laws[law] = call;
    m->users[law] = user;
    return IST_OK;
}

int ist_stop_at_law(IstInstance *m, int law, int stop) {
    if (law < 0 || law >= m->flight->head[N_LAWS]) return says(m, IST_REFUSED, "there is no such law", "", ist_time(m));
    if (stop && !*(const int64_t *)(m->flight->start + m->flight->laws[law].row))
        return says(m, IST_REFUSED, "a law without samples is called at every instant, and no flight stops there: ", ist_law_name(m->flight, law), ist_time(m));
    m->stops[law] = stop != 0;
    return IST_OK;
}

int ist_advance(IstInstance *m, double t, int before) {
    int64_t *option = (int64_t *)(m->base + m->flight->head[OPTION]);
    double until, *q = number(m, Q, 0), *v = number(m, V, 0);
    int status = IST_OK, crosses = m->flight->head[N_EVENTS] != 0;
    if (flying) return says(m, IST_REFUSED, "a law cannot advance a flight", "", t);
    if (m->status) return m->status;
    if (!isfinite(t) || t < ist_time(m)) return says(m, IST_REFUSED, "a flight goes on to a later time", "", ist_time(m));
    memcpy(&until, m->flight->head + UNTIL, 8);
    if (t > until) return says(m, IST_REFUSED, "the flight file ends before that (until=)", "", until);
    *number(m, PAUSE, K_END) = t;
    *number(m, PAUSE, K_BEFORE) = m->pause;
    option[K_HALT] = before != 0;
    m->fresh = 0;
    m->brought = NULL;
    if (crosses && !*number(m, EYES, 0)) begin_watch(m);
    if (crosses && *number(m, EYES, 0) == CHANGED) restart(m, ist_time(m), NULL, 0), *number(m, EYES, 0) = BEGAN;
    while (!m->status) {
        if (crosses) hand_over(m);
        status = perform(m, K_STRETCH, q, v, 0.0);
        if (crosses) take_back(m);
        if (status == STEPPED) look_into_step(m);
        else if (status == CAME_TO) come_to_time(m);
        else break;
    }
    *number(m, PAUSE, K_BEFORE) = INFINITY; /* what is saved does not know of pauses */
    if (status < 0) m->status = status;
    return m->status ? m->status : status;
}

/* bring all signals to the present time, beside the flight, which goes on as if nobody had looked */
static int look(IstInstance *m) {
    const int64_t *h = m->flight->head;
    uint8_t *state = m->base + h[SLOTS];
    double t = ist_time(m);
    int status;
    if (m->fresh) return IST_OK;
    memcpy(m->before, state, (size_t)h[STATE]);
    status = perform(m, K_RIGHT_SIDE, number(m, Q, 0), number(m, V, 0), t);
    memcpy(m->seen, state, (size_t)h[STATE]);
    memcpy(state, m->before, (size_t)h[STATE]);
    m->fresh = status == IST_OK;
    return status;
}

static const Port *port_of(IstInstance *m, int port) {
    if (port >= 0 && port < m->flight->head[N_PORTS]) return m->flight->ports + port;
    says(m, IST_REFUSED, "there is no such port", "", ist_time(m));
    return NULL;
}

int ist_get(IstInstance *m, int port, double *x) {
    const Port *p = port_of(m, port);
    const uint8_t *from = m->base;
    int status = IST_OK;
    if (!p) return IST_REFUSED;
    if (p->kind == IST_OUTPUT && !flying && !*(int64_t *)(m->base + m->flight->head[INSIDE])) { /* a law sees signals as they are */
        status = look(m);
        if (status == IST_OK) from = m->seen - m->flight->head[SLOTS];
    }
    for (int64_t k = 0; k < p->size; k++) x[k] = p->whole ? (double)((const int64_t *)(from + p->at))[k] : ((const double *)(from + p->at))[k];
    return status;
}

int ist_set(IstInstance *m, int port, const double *x) {
    const Port *p = port_of(m, port);
    if (!p) return IST_REFUSED;
    for (int64_t k = 0; k < p->size; k++)
        if (!isfinite(x[k]) || x[k] < p->low || x[k] > p->high || (p->whole && (x[k] != floor(x[k]) || fabs(x[k]) > 9007199254740992.0)))
            return says(m, IST_REFUSED, "a value that it cannot have: ", m->flight->text + p->name, ist_time(m));
    for (int64_t k = 0; k < p->size; k++) {
        if (p->whole) ((int64_t *)(m->base + p->at))[k] = (int64_t)x[k];
        else ((double *)(m->base + p->at))[k] = x[k];
    }
    if (!flying && m->flight->head[N_EVENTS] && p->kind != IST_INPUT && *number(m, EYES, 0)) *number(m, EYES, 0) = CHANGED;
    if (!flying) *number(m, PACE, K_KNOWN) = 0.0; /* the next step begins with a slope of its own */
    m->fresh = 0;
    return IST_OK;
}

/* saved: digest of the flight, digest of what follows, whether the flight failed, the state */
size_t ist_saved_size(const IstFlight *f) { return 72 + (size_t)f->head[STATE]; }

void ist_save(const IstInstance *m, void *to) {
    const int64_t *h = m->flight->head;
    uint8_t *out = to;
    int64_t status = m->status;
    memcpy(out, m->flight->digest, 32);
    memcpy(out + 64, &status, 8);
    memcpy(out + 72, m->base + h[SLOTS], (size_t)h[STATE]);
    digest_of(out + 64, 8 + (size_t)h[STATE], out + 32);
}

int ist_restore(IstInstance *m, const void *from, size_t size) {
    const int64_t *h = m->flight->head;
    const uint8_t *in = from;
    uint8_t sum[32];
    int64_t status;
    if (size != ist_saved_size(m->flight) || memcmp(in, m->flight->digest, 32))
        return says(m, IST_REFUSED, "what was saved is of another flight", "", ist_time(m));
    digest_of(in + 64, size - 64, sum);
    if (memcmp(sum, in + 32, 32)) return says(m, IST_REFUSED, "what was saved is damaged", "", ist_time(m));
    memcpy(&status, in + 64, 8);
    memcpy(m->base + h[SLOTS], in + 72, (size_t)h[STATE]);
    m->status = (int)status;
    m->fresh = 0;
    return IST_OK;
}

/* Flights without Python: opens flight files, makes instances, and calls the compiled kernels. See interstage.h. */
#include "interstage.h"
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

#define MAGIC "ISTFLY\0\1"
enum {
    N_FUNCTIONS, N_LINKS, N_PORTS, N_DEVICES, N_LAWS, TEXT, CONSTANT, SLOTS, STATE, NQ, NV, /* lengths */
    HANDLE, ROWS, DATA, Q, V, QDOT, VDOT, PAUSE, PACE, OPTION, FLAG, FAILED_AT, INSIDE, /* places in an instance */
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

struct IstFlight {
    uint8_t *file;
    const uint8_t *digest, *constant, *start;
    const int64_t *head, *functions;
    const Link *links;
    const Port *ports;
    const Named *devices, *laws;
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
    char message[256];
};
typedef int64_t (*Entry)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, int64_t, int64_t);

const char *ist_version(void) { return VERSION; }

static IstFlight *refused(IstFlight *f, char *why, size_t room, const char *words, const char *more) {
    if (why && room) snprintf(why, room, "%s%s", words, more);
    ist_close(f);
    return NULL;
}

static int within(int64_t at, int64_t size, int64_t room) { return at >= 0 && size >= 0 && size <= room && at <= room - size; }

static const char *wrong_places(const IstFlight *f) {
    const int64_t *h = f->head, whole = h[SLOTS] + h[STATE];
    const int64_t need[][2] = {{HANDLE, 8}, {ROWS, 8}, {DATA, 8}, {Q, 8 * h[NQ]}, {V, 8 * h[NV]}, {QDOT, 8 * h[NQ]},
                               {VDOT, 8 * h[NV]}, {PAUSE, 24}, {PACE, 8 * PACE_SIZE}, {OPTION, 56}, {FLAG, 24}, {FAILED_AT, 8}, {INSIDE, 8}};
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
    for (k = 0; k < h[N_DEVICES] + h[N_LAWS]; k++)
        if (!within(f->devices[k].name, 1, h[TEXT]) || !within(f->devices[k].row, k < h[N_DEVICES] ? 0 : 8, whole) || f->devices[k].row % 8) return "a device";
    if (!within(h[TITLE], 1, h[TEXT]) || f->text[h[TEXT] - 1]) return "the text";
    return NULL;
}

static IstFlight *opened(IstFlight *f, size_t size, char *why, size_t room) {
    static const int64_t BYTES[] = {8, sizeof(Link), sizeof(Port), sizeof(Named), sizeof(Named), 1};
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
    for (k = 0; k <= NV; k++)
        if (h[k] < 0 || h[k] > (int64_t)size) return refused(f, why, room, "the flight file has a length that cannot be", "");
    f->functions = (const int64_t *)(f->file + at);
    for (k = N_FUNCTIONS; k <= TEXT; k++) {
        if ((uint64_t)h[k] * (uint64_t)BYTES[k] > size - at) return refused(f, why, room, "the flight file is cut off", "");
        at += (size_t)(h[k] * BYTES[k]);
        if (k == N_FUNCTIONS) f->links = (const Link *)(f->file + at);
        if (k == N_LINKS) f->ports = (const Port *)(f->file + at);
        if (k == N_PORTS) f->devices = (const Named *)(f->file + at);
        if (k == N_LAWS) f->text = (const char *)(f->file + at);
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
    if (!m->base || !m->before || !m->seen || !m->laws || !m->users || !m->stops) {
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
    free(m);
}

static int says(IstInstance *m, int status, const char *words, const char *of, double t) {
    snprintf(m->message, sizeof m->message, "%s%s at t = %.9g", words, of, t);
    return status;
}

/* run the kernels: task and time as `perform` takes them; returns a status of the header */
static int perform(IstInstance *m, int task, double t, int64_t qdot, int64_t vdot) {
    const IstFlight *f = m->flight;
    const int64_t *h = f->head, b = (int64_t)(intptr_t)m->base;
    IstInstance *other = flying;
    const int64_t *flag = (const int64_t *)(m->base + h[FLAG]);
    int64_t status, k;
    flying = m;
    raised = 0;
    status = ((Entry)f->code[0])(b + h[HANDLE], b + h[ROWS], b + h[DATA], task, b + h[Q], b + h[V], 0, t, b + qdot, b + vdot);
    flying = other;
    if (flag[0]) {
        const char *name = "";
        for (k = 0; k < h[N_DEVICES] + h[N_LAWS]; k++)
            if (f->devices[k].row == flag[2] - b) name = f->text + f->devices[k].name;
        return says(m, IST_DEVICE, "an error was raised by ", name, *number(m, FAILED_AT, 0));
    }
    if (raised) return says(m, IST_STUCK, "an error was raised inside a kernel", "", ist_time(m));
    for (k = 0; k < h[NQ]; k++)
        if (!isfinite(*number(m, Q, (int)k))) status = -1;
    for (k = 0; k < h[NV]; k++)
        if (!isfinite(*number(m, V, (int)k))) status = -1;
    if (status == -1) return says(m, IST_INFINITE, "the flight went to infinity", "", ist_time(m));
    if (status == K_DONE) return IST_OK;
    if (status == K_PAUSED) return IST_PAUSED;
    if (status == K_WAITS) return IST_LAW;
    snprintf(m->message, sizeof m->message, "the steps of the method became too short, or forward dynamics has no answer (status %lld), at t = %.9g",
             (long long)status, ist_time(m));
    return IST_STUCK;
}

double ist_time(const IstInstance *m) { return *number(m, PACE, K_TIME); }
const char *ist_message(const IstInstance *m) { return m->message; }
void ist_pause(IstInstance *m, double t) { m->pause = t; }

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
    double until;
    int status;
    if (flying) return says(m, IST_REFUSED, "a law cannot advance a flight", "", t);
    if (m->status) return m->status;
    if (!isfinite(t) || t < ist_time(m)) return says(m, IST_REFUSED, "a flight goes on to a later time", "", ist_time(m));
    memcpy(&until, m->flight->head + UNTIL, 8);
    if (t > until) return says(m, IST_REFUSED, "the flight file ends before that (until=)", "", until);
    *number(m, PAUSE, K_END) = t;
    *number(m, PAUSE, K_BEFORE) = m->pause;
    option[K_HALT] = before != 0;
    status = perform(m, K_STRETCH, 0.0, m->flight->head[Q], m->flight->head[V]);
    m->fresh = 0;
    if (status < 0) m->status = status;
    return status;
}

/* bring all signals to the present time, beside the flight, which goes on as if nobody had looked */
static int look(IstInstance *m) {
    const int64_t *h = m->flight->head;
    uint8_t *state = m->base + h[SLOTS];
    double t = ist_time(m);
    int status;
    if (m->fresh) return IST_OK;
    memcpy(m->before, state, (size_t)h[STATE]);
    status = perform(m, K_RIGHT_SIDE, t, h[QDOT], h[VDOT]);
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

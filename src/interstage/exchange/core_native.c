/* A whole assembly without Python: its flight file lies in the resources, its kernels are in this binary.

   The other tool stands where the law `outside` is sampled, every EVERY seconds: what is sampled before it is seen at once,
   what it sets is sampled at once. A step is a whole number of these beats, with inputs that are held. */

#include <stdio.h>
#define IST_API static
#include "interstage.c"

typedef struct { IstFlight *flight; IstInstance *one; double begun; } Core;
static const char *const SEEN[NY_PORTS + 1] = SEEN_PORTS, *const SENT[NU_PORTS + 1] = SENT_PORTS;

static void core_free(void *given) {
    Core *core = given;
    ist_free(core->one);
    ist_close(core->flight);
    free(core);
}

static void *core_new(const char *resources) {
    char path[4096], why[256];
    Core *core = calloc(1, sizeof *core);
    if (core == NULL) return NULL;
    path_of(path, sizeof path - 16, resources ? resources : ".");
    strcat(path, "/unit.flight");
    core->flight = ist_open(path, why, sizeof why);
    core->one = core->flight ? ist_new(core->flight) : NULL;
    if (core->one == NULL) {
        fprintf(stderr, "%s\n", core->flight ? "no memory" : why);
        core_free(core);
        return NULL;
    }
    ist_stop_at_law(core->one, 0, 1);
    return core;
}

/* at a beat: what the other tool sees */
static int see(Model *m) {
    Core *core = m->core;
    double *y = m->y;
    int k;
    IstPort said;
    for (k = 0; k < NY_PORTS; k++) {
        const int port = ist_find(core->flight, SEEN[k]);
        if (ist_port(core->flight, port, &said) != IST_OK || ist_get(core->one, port, y) != IST_OK) return FAILED;
        y += said.size;
    }
    return OK;
}

static int beat(Model *m, double t) {
    Core *core = m->core;
    const int status = ist_advance(core->one, t, 0);
    if (status == IST_LAW) return see(m);
    fprintf(stderr, "%s\n", status < 0 ? ist_message(core->one) : "the unit is off its beat");
    return FAILED;
}

static int core_begin(Model *m) {
    Core *core = m->core;
    ist_reset(core->one);
    core->begun = m->t;
    return beat(m, ist_time(core->one));
}

static int core_look(Model *m) { (void)m; return OK; }
static int core_event(Model *m, Event *e) { (void)m; (void)e; return OK; }

static int core_step(Model *m, double h) {
    Core *core = m->core;
    const double beats = floor(h / EVERY + 0.5), now = floor((m->t - core->begun) / EVERY + 0.5);
    const double *u;
    double k;
    int j;
    IstPort said;
    if (beats < 1.0 || fabs(h - beats * EVERY) > 1e-6 * EVERY) return FAILED;
    for (k = 1.0; k <= beats; k += 1.0) {
        for (j = 0, u = m->u; j < NU_PORTS; j++) {
            const int port = ist_find(core->flight, SENT[j]);
            if (ist_port(core->flight, port, &said) != IST_OK || ist_set(core->one, port, u) != IST_OK) return FAILED;
            u += said.size;
        }
        if (beat(m, (now + k) * EVERY_NUM / EVERY_DEN) != OK) return FAILED;
    }
    return OK;
}

#define CORE_STATE ist_saved_size(((Core *)m->core)->flight)
#define core_keep(m, to) ist_save(((Core *)(m)->core)->one, to)
#define core_put(m, from) ist_restore(((Core *)(m)->core)->one, from, CORE_STATE)

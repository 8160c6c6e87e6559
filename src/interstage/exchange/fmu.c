/* The functions of FMI 2.0 and 3.0 around a core (core_linear.c, core_native.c or core_python.c).

   Compile with FMI_VERSION 2 or 3; `model.h` says sizes (NX, NU, NY), TOKEN, START (states) and what the core needs.
   References of variables: 0 is time, then inputs, outputs, states, derivatives of states. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { OK = 0, DISCARD = 2, FAILED = 3 };
enum { FIRST_U = 1, FIRST_Y = 1 + NU, FIRST_X = 1 + NU + NY, FIRST_DX = 1 + NU + NY + NX, END = 1 + NU + NY + 2 * NX };

typedef struct {
    double t, u[NU + 1], x[NX + 1], y[NY + 1], dx[NX + 1];
    void *core;
} Model;

typedef struct { int changed, next; double time; } Event;   /* whether states changed; whether another comes, and when */

static void *core_new(const char *resources);
static void core_free(void *core);
static int core_begin(Model *m);              /* y, dx at the start */
static int core_look(Model *m);               /* y, dx of t, u, x */
static int core_step(Model *m, double h);     /* from t to t + h with u held; y, dx there */
static int core_event(Model *m, Event *e);    /* at t: what is sampled then; y, dx, x after it */

#if defined CORE_PYTHON || defined CORE_NATIVE
#include <stdio.h>
/* A URI of FMI 2.0 (file:///a%20b) or a path of FMI 3.0 as a path */
static void path_of(char *out, size_t size, const char *text) {
    size_t k = 0;
    if (strncmp(text, "file:", 5) == 0) {
        text += 5;
        if (strncmp(text, "//", 2) == 0) { text += 2; while (*text && *text != '/') text++; }
    }
    while (*text && k + 1 < size) {
        unsigned code;
        if (*text == '%' && sscanf(text + 1, "%2x", &code) == 1) { out[k++] = (char)code; text += 3; }
        else out[k++] = *text++;
    }
    out[k] = 0;
}
#endif

#if defined CORE_PYTHON
#include "core_python.c"
#elif defined CORE_NATIVE
#include "core_native.c"
#else
#include "core_linear.c"
#endif

#ifndef CORE_STATE /* what a core remembers beside the model */
#define CORE_STATE 0
#define core_keep(m, to) ((void)(to))
#define core_put(m, from) ((void)(from), 0)
#endif

static void set_start(Model *m) {
    static const double start[NX + 1] = START, inputs[NU + 1] = START_U;
    void *core = m->core;
    memset(m, 0, sizeof *m);
    memcpy(m->x, start, NX * sizeof(double));
    memcpy(m->u, inputs, NU * sizeof(double));
    m->core = core;
}

static Model *made(const char *token, const char *resources) {
    Model *m;
    if (token == NULL || strcmp(token, TOKEN) != 0) return NULL;
    m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->core = core_new(resources);
    if (m->core == NULL) { free(m); return NULL; }
    set_start(m);
    return m;
}

static int get_reals(Model *m, const unsigned *vr, size_t n, double *value) {
    size_t k;
    const int status = core_look(m);
    if (status != OK) return status;
    for (k = 0; k < n; k++) {
        if (vr[k] < FIRST_U) value[k] = m->t;
        else if (vr[k] < FIRST_Y) value[k] = m->u[vr[k] - FIRST_U];
        else if (vr[k] < FIRST_X) value[k] = m->y[vr[k] - FIRST_Y];
        else if (vr[k] < FIRST_DX) value[k] = m->x[vr[k] - FIRST_X];
        else if (vr[k] < END) value[k] = m->dx[vr[k] - FIRST_DX];
        else return FAILED;
    }
    return OK;
}

static int set_reals(Model *m, const unsigned *vr, size_t n, const double *value) {
    size_t k;
    for (k = 0; k < n; k++) {
        if (vr[k] >= FIRST_U && vr[k] < FIRST_Y) m->u[vr[k] - FIRST_U] = value[k];
        else if (vr[k] >= FIRST_X && vr[k] < FIRST_DX) m->x[vr[k] - FIRST_X] = value[k];
        else return FAILED;
    }
    return OK;
}

static int step(Model *m, double t, double h) {
    int status;
    if (!(h > 0.0)) return FAILED;
    m->t = t;
    status = core_step(m, h);
    if (status == OK) m->t = t + h;
    return status;
}

static int keep(Model *m, void **state) {
    if (*state == NULL) *state = malloc(sizeof *m + CORE_STATE);
    if (*state == NULL) return FAILED;
    memcpy(*state, m, sizeof *m);
    core_keep(m, (char *)*state + sizeof *m);
    return OK;
}

static int put_back(Model *m, void *state) {
    void *core = m->core;
    memcpy(m, state, sizeof *m);
    m->core = core;
    return core_put(m, (char *)state + sizeof *m) == 0 ? OK : FAILED;
}

static int names_nothing(size_t n) { return n == 0 ? OK : FAILED; }

typedef void *M; typedef unsigned Vr;

#if FMI_VERSION == 2
#define FMI(name) fmi2##name
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives
typedef struct { int needed, terminate, nominals, values, next; double time; } Info2;
EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT int fmi2SetDebugLogging(M m, int on, size_t n, const char *const c[]) { (void)m; (void)on; (void)n; (void)c; return OK; }
EXPORT M fmi2Instantiate(const char *name, int kind, const char *guid, const char *where, const void *call, int seen, int log) {
    (void)name; (void)kind; (void)call; (void)seen; (void)log;
    return made(guid, where);
}
EXPORT int fmi2SetupExperiment(M m, int has, double tol, double start, int ends, double stop) {
    (void)has; (void)tol; (void)ends; (void)stop; ((Model *)m)->t = start; return OK;
}
EXPORT int fmi2EnterInitializationMode(M m) { return core_begin(m); }
EXPORT int fmi2GetReal(M m, const Vr *vr, size_t n, double *v) { return get_reals(m, vr, n, v); }
EXPORT int fmi2SetReal(M m, const Vr *vr, size_t n, const double *v) { return set_reals(m, vr, n, v); }
EXPORT int fmi2GetInteger(M m, const Vr *vr, size_t n, int *v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2GetBoolean(M m, const Vr *vr, size_t n, int *v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2GetString(M m, const Vr *vr, size_t n, const char **v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2SetInteger(M m, const Vr *vr, size_t n, const int *v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2SetBoolean(M m, const Vr *vr, size_t n, const int *v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2SetString(M m, const Vr *vr, size_t n, const char *const *v) { (void)m; (void)vr; (void)v; return names_nothing(n); }
EXPORT int fmi2GetFMUstate(M m, void **s) { return KEEPS_STATE ? keep(m, s) : FAILED; }
EXPORT int fmi2SetFMUstate(M m, void *s) { return KEEPS_STATE ? put_back(m, s) : FAILED; }
EXPORT int fmi2FreeFMUstate(M m, void **s) { (void)m; free(*s); *s = NULL; return OK; }
EXPORT int fmi2SerializedFMUstateSize(void) { return FAILED; }
EXPORT int fmi2SerializeFMUstate(void) { return FAILED; }
EXPORT int fmi2DeSerializeFMUstate(void) { return FAILED; }
EXPORT int fmi2GetDirectionalDerivative(void) { return FAILED; }
EXPORT int fmi2NewDiscreteStates(M m, Info2 *info) {
    Event e = {0, 0, 0.0};
    const int status = core_event(m, &e);
    memset(info, 0, sizeof *info);
    info->values = e.changed; info->next = e.next; info->time = e.time;
    return status;
}
EXPORT int fmi2CompletedIntegratorStep(M m, int no, int *event, int *end) { (void)m; (void)no; *event = *end = 0; return OK; }
EXPORT int fmi2SetRealInputDerivatives(void) { return FAILED; }
EXPORT int fmi2GetRealOutputDerivatives(void) { return FAILED; }
EXPORT int fmi2DoStep(M m, double t, double h, int no) { (void)no; return step(m, t, h); }
EXPORT int fmi2CancelStep(M m) { (void)m; return FAILED; }
EXPORT int fmi2GetStatus(void) { return DISCARD; }
EXPORT int fmi2GetRealStatus(void) { return DISCARD; }
EXPORT int fmi2GetIntegerStatus(void) { return DISCARD; }
EXPORT int fmi2GetBooleanStatus(void) { return DISCARD; }
EXPORT int fmi2GetStringStatus(void) { return DISCARD; }
#else
#include <stdbool.h>
#define FMI(name) fmi3##name
typedef const char *S;
EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT int fmi3SetDebugLogging(M m, bool on, size_t n, const S c[]) { (void)m; (void)on; (void)n; (void)c; return OK; }
EXPORT M fmi3InstantiateModelExchange(S name, S token, S where, bool seen, bool log, void *env, void *message) {
    (void)name; (void)seen; (void)log; (void)env; (void)message; return made(token, where);
}
EXPORT M fmi3InstantiateCoSimulation(S name, S token, S where, bool seen, bool log, bool events, bool early, const Vr *mid, size_t n,
                                     void *env, void *message, void *update) {
    (void)name; (void)seen; (void)log; (void)events; (void)early; (void)mid; (void)n; (void)env; (void)message; (void)update;
    return made(token, where);
}
EXPORT M fmi3InstantiateScheduledExecution(void) { return NULL; }
EXPORT int fmi3EnterInitializationMode(M m, bool has, double tol, double start, bool ends, double stop) {
    (void)has; (void)tol; (void)ends; (void)stop; ((Model *)m)->t = start; return core_begin(m);
}
EXPORT int fmi3GetFloat64(M m, const Vr *vr, size_t n, double *v, size_t k) { return k == n ? get_reals(m, vr, n, v) : FAILED; }
EXPORT int fmi3SetFloat64(M m, const Vr *vr, size_t n, const double *v, size_t k) { return k == n ? set_reals(m, vr, n, v) : FAILED; }
#define NONE(T) \
    EXPORT int fmi3Get##T(M m, const Vr *vr, size_t n) { (void)m; (void)vr; return names_nothing(n); } \
    EXPORT int fmi3Set##T(M m, const Vr *vr, size_t n) { (void)m; (void)vr; return names_nothing(n); }
NONE(Float32) NONE(Int8) NONE(UInt8) NONE(Int16) NONE(UInt16) NONE(Int32) NONE(UInt32) NONE(Int64) NONE(UInt64)
NONE(Boolean) NONE(String) NONE(Binary) NONE(Clock)
#define ABSENT(F) EXPORT int fmi3##F(void) { return FAILED; }
ABSENT(GetNumberOfVariableDependencies) ABSENT(GetVariableDependencies) ABSENT(SerializedFMUStateSize)
ABSENT(SerializeFMUState) ABSENT(DeserializeFMUState) ABSENT(GetDirectionalDerivative) ABSENT(GetAdjointDerivative)
ABSENT(EnterConfigurationMode) ABSENT(ExitConfigurationMode) ABSENT(GetIntervalDecimal) ABSENT(GetIntervalFraction)
ABSENT(GetShiftDecimal) ABSENT(GetShiftFraction) ABSENT(SetIntervalDecimal) ABSENT(SetIntervalFraction)
ABSENT(SetShiftDecimal) ABSENT(SetShiftFraction) ABSENT(GetOutputDerivatives) ABSENT(ActivateModelPartition)
EXPORT int fmi3GetFMUState(M m, void **s) { return KEEPS_STATE ? keep(m, s) : FAILED; }
EXPORT int fmi3SetFMUState(M m, void *s) { return KEEPS_STATE ? put_back(m, s) : FAILED; }
EXPORT int fmi3FreeFMUState(M m, void **s) { (void)m; free(*s); *s = NULL; return OK; }
EXPORT int fmi3EvaluateDiscreteStates(M m) { (void)m; return OK; }
EXPORT int fmi3UpdateDiscreteStates(M m, bool *need, bool *end, bool *nominal, bool *values, bool *next, double *t) {
    Event e = {0, 0, 0.0};
    const int status = core_event(m, &e);
    *need = *end = *nominal = false; *values = e.changed != 0; *next = e.next != 0; *t = e.time;
    return status;
}
EXPORT int fmi3CompletedIntegratorStep(M m, bool no, bool *event, bool *end) { (void)m; (void)no; *event = *end = false; return OK; }
EXPORT int fmi3GetNumberOfEventIndicators(M m, size_t *n) { (void)m; *n = 0; return OK; }
EXPORT int fmi3GetNumberOfContinuousStates(M m, size_t *n) { (void)m; *n = NX; return OK; }
EXPORT int fmi3EnterStepMode(M m) { (void)m; return OK; }
EXPORT int fmi3DoStep(M m, double t, double h, bool no, bool *event, bool *end, bool *early, double *last) {
    int status = step(m, t, h);
    (void)no; *event = *end = *early = false; *last = ((Model *)m)->t; return status;
}
#endif

/* what both versions have, under their own names */
EXPORT int FMI(ExitInitializationMode)(M m) { (void)m; return OK; }
EXPORT int FMI(Terminate)(M m) { (void)m; return OK; }
EXPORT int FMI(Reset)(M m) { set_start(m); return OK; }
EXPORT void FMI(FreeInstance)(M m) { if (m) { core_free(((Model *)m)->core); free(m); } }
EXPORT int FMI(EnterEventMode)(M m) { (void)m; return OK; }
EXPORT int FMI(EnterContinuousTimeMode)(M m) { (void)m; return OK; }
EXPORT int FMI(SetTime)(M m, double t) { ((Model *)m)->t = t; return OK; }
EXPORT int FMI(SetContinuousStates)(M m, const double *x, size_t n) { if (n != NX) return FAILED; memcpy(((Model *)m)->x, x, n * sizeof *x); return OK; }
EXPORT int FMI(GetEventIndicators)(M m, double *z, size_t n) { (void)m; (void)z; return names_nothing(n); }
EXPORT int FMI(GetContinuousStates)(M m, double *x, size_t n) { if (n != NX) return FAILED; memcpy(x, ((Model *)m)->x, n * sizeof *x); return OK; }
EXPORT int FMI(GetNominalsOfContinuousStates)(M m, double *x, size_t n) { size_t k; (void)m; for (k = 0; k < n; k++) x[k] = 1.0; return OK; }
EXPORT int FMI(GetContinuousStateDerivatives)(M m, double *d, size_t n) {
    const int status = n == NX ? core_look(m) : FAILED;
    if (status == OK) memcpy(d, ((Model *)m)->dx, n * sizeof *d);
    return status;
}

/* dx/dt = A x + B u, y = C x + D u. A step is exact for inputs that are held: exp([A B; 0 0] h), made once for each h.
   With EVERY the model is sampled, x' = A x + B u after EVERY seconds: a step is a whole number of samples. */

static const double MATRIX_A[] = TABLE_A;
static const double MATRIX_B[] = TABLE_B;
static const double MATRIX_C[] = TABLE_C;
static const double MATRIX_D[] = TABLE_D;
#define N (NX + NU)

static int core_look(Model *m);
static int core_begin(Model *m) { return core_look(m); }
static int core_event(Model *m, Event *e) { (void)m; (void)e; return OK; }

#ifdef EVERY
static void *core_new(const char *resources) { (void)resources; return calloc(1, sizeof(double)); }
static void core_free(void *core) { free(core); }

static int core_step(Model *m, double h) {
    const double samples = floor(h / EVERY + 0.5);
    double k;
    if (samples < 1.0 || fabs(h - samples * EVERY) > 1e-6 * EVERY) return FAILED;
    for (k = 0.0; k < samples; k += 1.0) {
        if (core_look(m) != OK) return FAILED;
        memcpy(m->x, m->dx, NX * sizeof(double));
    }
    return OK;
}
#else
typedef struct { double h; double *phi; } Core;   /* phi: the first NX rows of the exponential, (NX, N) */

static void *core_new(const char *resources) { (void)resources; return calloc(1, sizeof(Core)); }
static void core_free(void *core) { free(((Core *)core)->phi); free(core); }

/* out = a b of square matrices */
static void times(double *out, const double *a, const double *b) {
    int i, j, k;
    memset(out, 0, sizeof(double) * N * N);
    for (i = 0; i < N; i++)
        for (k = 0; k < N; k++) {
            const double s = a[i * N + k];
            if (s != 0.0)
                for (j = 0; j < N; j++) out[i * N + j] += s * b[k * N + j];
        }
}

/* Scaling and squaring of a Taylor series: with norm below 1/2, 18 terms leave 1e-22 */
static int exponential(Core *core, double h) {
    const size_t bytes = sizeof(double) * N * N;
    double *a = calloc(4, bytes ? bytes : 1), *e, *term, *work, norm = 0.0;
    int i, j, k, halvings = 0;
    if (a == NULL) return FAILED;
    e = a + N * N; term = e + N * N; work = term + N * N;
    for (i = 0; i < NX; i++) {
        double sum = 0.0;
        for (j = 0; j < NX; j++) a[i * N + j] = h * MATRIX_A[i * NX + j];
        for (j = 0; j < NU; j++) a[i * N + NX + j] = h * MATRIX_B[i * NU + j];
        for (j = 0; j < N; j++) sum += fabs(a[i * N + j]);
        if (sum > norm) norm = sum;
    }
    while (norm > 0.5) { norm /= 2.0; halvings++; }
    for (i = 0; i < N * N; i++) a[i] = ldexp(a[i], -halvings);
    for (i = 0; i < N; i++) e[i * N + i] = term[i * N + i] = 1.0;
    for (k = 1; k <= 18; k++) {
        times(work, term, a);
        for (i = 0; i < N * N; i++) { term[i] = work[i] / k; e[i] += term[i]; }
    }
    for (k = 0; k < halvings; k++) { times(work, e, e); memcpy(e, work, bytes); }
    if (core->phi == NULL) core->phi = malloc(sizeof(double) * (NX * N + 1));
    if (core->phi != NULL) memcpy(core->phi, e, sizeof(double) * NX * N);
    free(a);
    core->h = h;
    return core->phi != NULL ? OK : FAILED;
}

static int core_step(Model *m, double h) {
    Core *core = m->core;
    double next[NX + 1];
    int i, j;
    if (core->phi == NULL || h != core->h) {
        if (exponential(core, h) != OK) return FAILED;
    }
    for (i = 0; i < NX; i++) {
        next[i] = 0.0;
        for (j = 0; j < NX; j++) next[i] += core->phi[i * N + j] * m->x[j];
        for (j = 0; j < NU; j++) next[i] += core->phi[i * N + NX + j] * m->u[j];
    }
    memcpy(m->x, next, NX * sizeof(double));
    return OK;
}
#endif

static int core_look(Model *m) {
    int i, j;
    for (i = 0; i < NX; i++) {
        m->dx[i] = 0.0;
        for (j = 0; j < NX; j++) m->dx[i] += MATRIX_A[i * NX + j] * m->x[j];
        for (j = 0; j < NU; j++) m->dx[i] += MATRIX_B[i * NU + j] * m->u[j];
    }
    for (i = 0; i < NY; i++) {
        m->y[i] = 0.0;
        for (j = 0; j < NX; j++) m->y[i] += MATRIX_C[i * NX + j] * m->x[j];
        for (j = 0; j < NU; j++) m->y[i] += MATRIX_D[i * NU + j] * m->u[j];
    }
    return OK;
}

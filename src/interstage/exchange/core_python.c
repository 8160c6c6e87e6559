/* A whole assembly: the installed Interstage runs it in a process of its own, and this core talks to it by pipes.

   The process is `python -m interstage.exchange.serve RESOURCES`; INTERSTAGE_PYTHON names the interpreter, otherwise
   `python.txt` in the resources does, which is that of the export. A process that ends (it says why on its standard
   error) ends the call with an error.

   Co-simulation (with EVERY): a step sends NU doubles and gets NY; the first NY come unasked, of the start.
   Model exchange: a question is { what, t, x, u }, its answer { refused, changed, next, y, dx, x }; the first double
   comes unasked when the process is ready. `next` is the time of the next event, infinite where there is none. */

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    pid_t pid;
    int to, from, begun, known;
    double asked[2 + NX + NU];   /* the last question; known: y, dx are its answer */
    char resources[4096];
} Core;

static int whole(int fd, void *data, size_t n, int writing) {
    char *at = data;
    while (n > 0) {
        ssize_t k = writing ? write(fd, at, n) : read(fd, at, n);
        if (k <= 0) return FAILED;
        at += k;
        n -= (size_t)k;
    }
    return OK;
}

static void *core_new(const char *resources) {
    Core *core = calloc(1, sizeof *core);
    if (core != NULL) path_of(core->resources, sizeof core->resources, resources ? resources : ".");
    return core;
}

static void stop(Core *core) {
    if (core->pid > 0) {
        close(core->to);
        close(core->from);
        kill(core->pid, SIGTERM);
        waitpid(core->pid, NULL, 0);
        core->pid = 0;
    }
    core->begun = 0;
}

static void core_free(void *core) { stop(core); free(core); }

static int start(Core *core) {
    char python[4096] = "python3", name[4200];
    const char *given = getenv("INTERSTAGE_PYTHON");
    int to[2], from[2];
    FILE *f;
    snprintf(name, sizeof name, "%s/python.txt", core->resources);
    f = fopen(name, "r");
    if (f != NULL) {
        if (fgets(python, sizeof python, f) != NULL) python[strcspn(python, "\r\n")] = 0;
        fclose(f);
    }
    if (given != NULL && *given) snprintf(python, sizeof python, "%s", given);
    if (pipe(to) != 0 || pipe(from) != 0) return FAILED;
    core->pid = fork();
    if (core->pid < 0) return FAILED;
    if (core->pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]); close(to[1]); close(from[0]); close(from[1]);
        execlp(python, python, "-m", "interstage.exchange.serve", core->resources, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    core->to = to[1];
    core->from = from[0];
    signal(SIGPIPE, SIG_IGN);   /* a process that has ended is an error of write, not the end of the master */
    return OK;
}

#ifdef EVERY
static int core_begin(Model *m) {
    Core *core = m->core;
    stop(core);
    if (start(core) != OK || whole(core->from, m->y, NY * sizeof(double), 0) != OK) { stop(core); return FAILED; }
    core->begun = 1;
    return OK;
}

static int core_look(Model *m) { (void)m; return OK; }
static int core_event(Model *m, Event *e) { (void)m; (void)e; return OK; }

static int core_step(Model *m, double h) {
    Core *core = m->core;
    if (!core->begun || fabs(h - EVERY) > 1e-9 * EVERY) return FAILED;
    if (whole(core->to, m->u, (NU > 0 ? NU : 1) * sizeof(double), 1) != OK) return FAILED;
    return whole(core->from, m->y, NY * sizeof(double), 0);
}
#else
enum { LOOK = 0, EVENT = 1 };

static int core_begin(Model *m) {
    Core *core = m->core;
    double ready;
    stop(core);
    if (start(core) != OK || whole(core->from, &ready, sizeof ready, 0) != OK) { stop(core); return FAILED; }
    core->begun = 1;
    core->known = 0;
    return OK;
}

static int ask(Model *m, int what, Event *e) {
    Core *core = m->core;
    double question[2 + NX + NU], answer[3 + NY + 2 * NX];
    if (!core->begun) return what == LOOK ? OK : FAILED;   /* nothing is calculated before the start */
    question[0] = LOOK;
    question[1] = m->t;
    memcpy(question + 2, m->x, NX * sizeof(double));
    memcpy(question + 2 + NX, m->u, NU * sizeof(double));
    if (what == LOOK && core->known && memcmp(question, core->asked, sizeof question) == 0) return OK;
    memcpy(core->asked, question, sizeof question);
    question[0] = what;
    core->known = 0;
    if (whole(core->to, question, sizeof question, 1) != OK) return FAILED;
    if (whole(core->from, answer, sizeof answer, 0) != OK) return FAILED;
    if (answer[0] != 0.0) return what == LOOK ? DISCARD : FAILED;
    e->changed = answer[1] != 0.0;
    e->next = answer[2] < HUGE_VAL;
    e->time = e->next ? answer[2] : 0.0;
    memcpy(m->y, answer + 3, NY * sizeof(double));
    memcpy(m->dx, answer + 3 + NY, NX * sizeof(double));
    memcpy(m->x, answer + 3 + NY + NX, NX * sizeof(double));
    memcpy(core->asked + 2, m->x, NX * sizeof(double));
    core->known = 1;
    return OK;
}

static int core_look(Model *m) {
    Event none;
    return ask(m, LOOK, &none);
}

static int core_event(Model *m, Event *e) { return ask(m, EVENT, e); }
static int core_step(Model *m, double h) { (void)m; (void)h; return FAILED; }
#endif

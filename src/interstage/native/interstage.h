/* libinterstage: flights without Python.
 *
 * A flight is a file that `interstage.export_flight` writes: a vehicle with its devices, a method and its steps, standing
 * at an operating point. Open it once, make as many instances as there shall be, and advance each; instances share
 * nothing that changes, so that each thread may fly its own. Nothing is allocated while they fly.
 *
 *     char why[256];
 *     IstFlight *flight = ist_open("vehicle.flight", why, sizeof why);
 *     IstInstance *one = ist_new(flight);
 *     int rate = ist_find(flight, "gyro.rate");
 *     double w[3];
 *     while (ist_time(one) < 10.0 && ist_advance(one, ist_time(one) + 0.1, 0) == IST_OK)
 *         ist_get(one, rate, w);
 *     ist_free(one);
 *     ist_close(flight);
 *
 * Numbers are double precision in the units of the flight; whole numbers are doubles here too. A file is checked for
 * damage (SHA-256) and for what this library lacks; it is code as a shared library is, so open files of people you trust.
 */
#ifndef INTERSTAGE_H
#define INTERSTAGE_H
#include <stddef.h>
#include <stdint.h>
#if defined IST_API /* said by who includes it */
#elif defined _WIN32
#define IST_API __declspec(dllexport)
#else
#define IST_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct IstFlight IstFlight;
typedef struct IstInstance IstInstance;

enum IstStatus {
    IST_OK = 0,
    IST_PAUSED = 1,   /* at the time given to `ist_pause`: call `ist_advance` again to go on */
    IST_LAW = 2,      /* the sample of a law is due (`ist_stop_at_law`): set what it says, and call again to go on */
    IST_ENDED = 3,    /* an event has ended the flight: it goes no further */
    IST_DEVICE = -1,  /* a device raised an error, or a law said no */
    IST_INFINITE = -2, /* a state is no finite number: use a smaller step */
    IST_STUCK = -3,   /* steps of the method's own became too short, or forward dynamics has no answer */
    IST_REFUSED = -4, /* an argument that cannot be: see ist_message */
    IST_MEMORY = -5
};
/* what a port is: set from outside, written by a device, a constant of one, its states, coordinates and velocities */
enum IstKind { IST_INPUT, IST_OUTPUT, IST_PARAMETER, IST_STATE, IST_DISCRETE, IST_INTEGER, IST_Q, IST_V };

typedef struct IstPort {
    const char *name, *unit;
    int kind, size;
    double low, high; /* what it may be set to */
} IstPort;
/* A law outside: reads and sets ports of the instance at a sample; 0: well, else the flight ends with IST_DEVICE */
typedef int (*IstLaw)(void *user, IstInstance *m, double t);

IST_API const char *ist_version(void);                                 /* of the library */
IST_API IstFlight *ist_open(const char *path, char *why, size_t room); /* NULL and the reason in `why` */
IST_API IstFlight *ist_open_bytes(const void *bytes, size_t size, char *why, size_t room);
IST_API void ist_close(IstFlight *flight); /* after its instances are freed */
IST_API const char *ist_describe(const IstFlight *flight);
IST_API int ist_ports(const IstFlight *flight); /* how many; 0 <= port < that */
IST_API int ist_port(const IstFlight *flight, int port, IstPort *said);
IST_API int ist_find(const IstFlight *flight, const char *name); /* the port of a name, -1 */
IST_API int ist_laws(const IstFlight *flight);
IST_API const char *ist_law_name(const IstFlight *flight, int law);

IST_API int ist_events(const IstFlight *flight);
IST_API const char *ist_event_name(const IstFlight *flight, int event);

IST_API IstInstance *ist_new(const IstFlight *flight); /* at the start; NULL without memory */
IST_API void ist_free(IstInstance *m);
IST_API void ist_reset(IstInstance *m); /* back to the start; laws stay */
/* Call `law` wherever the law of that number is sampled; without one its outputs stay as they are set. */
IST_API int ist_on_law(IstInstance *m, int law, IstLaw call, void *user);
/* Let `ist_advance` return IST_LAW where that law is sampled: in the middle of a tick, what is sampled before it done. */
IST_API int ist_stop_at_law(IstInstance *m, int law, int stop);
IST_API double ist_time(const IstInstance *m);
/* Go on to a time; `before`: not the samples of that time, which see what is set now when the flight goes on. */
IST_API int ist_advance(IstInstance *m, double t, int before);
IST_API void ist_pause(IstInstance *m, double t); /* begin no step from a time on; INFINITY: no pause */
IST_API double ist_happened(const IstInstance *m, int event); /* when it happened last; -INFINITY: not yet */
IST_API int ist_get(IstInstance *m, int port, double *x); /* values at the present time */
IST_API int ist_set(IstInstance *m, int port, const double *x);
IST_API const char *ist_message(const IstInstance *m); /* of the last status that was not IST_OK */
IST_API size_t ist_saved_size(const IstFlight *flight);
IST_API void ist_save(const IstInstance *m, void *to); /* all that determines what follows */
IST_API int ist_restore(IstInstance *m, const void *from, size_t size); /* of any instance of the same flight */

#ifdef __cplusplus
}
#endif
#endif

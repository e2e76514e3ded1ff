// Package worker is the training loop of one worker as a machine, around the host core
// of a protocol: compute, serve the injected delays, reduce, update.
//
//	update i-1                                                       update i
//	|--- delay 0? --- compute 1/3 --- delay 1? --- 1/3 --- delay 2? --- 1/3 --- all-reduce ---|
//
// Compute takes the nominal time of the model's profile, however long the real gradient
// took. Delays come from a schedule (package fault) and are served at delay points, which
// split the compute into equal parts (Slow Worker Pattern, Trio §6.1).
//
// The interface of a sleeping worker still takes packets. Results of a whole generation
// may be complete before this worker contributed (Trio-ML's degraded results). An awake
// worker then drops its compute at once, a sleeping one when it wakes up. Both apply the
// results and go on with the newest generation. Delay points in between are not served.
//
// When a worker is out of service (Trio §5, "Advanced straggler mitigation"), the others
// divide its share of the mini-batch from an agreed generation on, until it is back. p
// present workers of n compute for n/p of the nominal time. This is assumed: compute time
// grows with the mini-batch, and shares that differ by an image count as equal.
//
// A job may start late, and pause after every so many iterations ([Times]). Pauses go by
// iterations, not by time: all workers must agree which iteration is the last before one.
// A pause counts from the results of that iteration, so that it ends for all at one time,
// also for a worker that slept when they came. A paused worker takes packets like a sleeping
// one. No sample holds a pause.
//
// A worker may join a job that is under way, with the model of another one, as in elastic
// training:
//
//	running worker   Leave: promises its model ------ put: begins a generation >= the promised
//	                           |                                |
//	new worker       Join: keeps results from it on -------- Restore: computes that generation
//
// A worker of a job that waits for it ([Resumer]) takes part in the generation at hand: another one lends
// it that model, and the next one ([Loop.Lend]), since some results of the first came before it was there.
//
// From then on both have the same model to the last bit. The caller plays the rendezvous
// of the framework: it knows which workers there are, and carries promise and model. The
// model takes no time on the emulated network. Left out: which workers the job's switch
// waits for (its own matter), and the list of those out of service, which a worker that
// joins does not get: it computes with nobody's share but its own until the next notices.
//
// Work on the model is done inside Computes, so that packets are handled meanwhile.
//
// Where [Config.Interval] is given, a meter (package meter) stands between the transport and the
// loop.
package worker

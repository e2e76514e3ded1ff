// Package atpps is a parameter server of ATP (§3.2, §3.5, §3.7): it adds what switches did not,
// and answers each packet of the workers with the parameters, once all have contributed.
//
//	gradient packets --copy--> entry of the number --all are in--> parameter packet to all workers
//	(workers, racks,           (whose values are in               (sums, mark, a new index
//	 or everybody)              the sum, and the sum)               where one collided)
//
// A packet carries the sum over the workers that its bitmaps name. It is added where none of
// them is in the sum yet, and the fragment is answered when all are. So each contribution counts
// once, whatever the network loses, copies, delays or adds. What is answered is kept, and
// sent again to whoever asks, until no worker can ask any more. That needs no message: a worker
// that sends a packet one span behind another has the parameters of that ([Config.Span]). So
// the ring of a stream has two spans, around the first packet that is not answered:
//
//	stale | answered, kept          | open, or answered out of order | nobody can be here
//	      open - span               open                             open + span
//
// Values that are the least or the largest int32 mean that a sum was clipped. The server then asks
// all workers for floats, keeps those of each apart, and adds them in the order of workers
// (§3.8). How frames are copied to and from the network card limits the server (§5.5): with
// [Config.Copy] they wait for it.
//
// A worker may be on the server's host ([Rack.Local]). Its packets come by [Server.Local], and nobody can claim its
// place on the network. So what switches add has all other workers at most.
//
// A [Server] is one of one or more that a job has, each with streams of its own. The public
// code (in-ATP/ATP) divides by the scaling factor at workers, as here; the paper has the server do so.
//
// When a worker that ended is there again, the job is set up anew, under another id (A.3, setup.go). The server
// forgets what is not answered, drops what still comes under the id before, and tells workers the earliest
// number from which on they send again.
//
// Of more than two levels (A.2) the server knows a tree: [Config.Paths] has the bits of each worker from its
// switch down. The highest bitmap of a packet that has several bits says of which switch's sources it is.
// Each set-up has a tree of its own, of as many levels.
package atpps

// Package session is the control plane behind SwitchML's control protocol: how clients
// become workers of jobs (Session), and how they wait for one another (Sync). It has no
// socket and no clock. Duties of the caller:
//
//  1. [Machine.Connect] for every connection, before its first call, and [Machine.Hangup]
//     after its end.
//  2. [Machine.Broadcast] and [Machine.Barrier] for calls, each with a number of its own;
//     [Machine.Cancel] when the client gave a call up. After every method,
//     [Machine.Answers] has the calls that are answered.
//  3. [Machine.Expire] at [Machine.NextDeadline].
//  4. [Machine.Prepare] for a session. Carry the [Change] out on the engine, and report
//     it to [Machine.Settle], with nothing in between. Repeat both if that says so.
//  5. [Machine.Refused] when the engine refuses jobs for what their packets are.
//
// A Broadcast has a rank, a Barrier has none. So a client is known by its connection:
//
//	Broadcast(n, rank) --> seat in the open cohort of n --> Barriers of the cohort
//	UdpSession(id, rank) --> member of job id
//	cohort of workers of a complete job, after its barrier --> not open any more
//
// Only one cohort of each number of workers is open at a time, because the protocol cannot tell
// two apart. A client that hangs up breaks its cohort: its peers are told at once, and the next
// client starts a new one. A dead job does not block later ones:
//
//   - rank 0 that opens its job again (same id, MAC and address) resets it, unless another client
//     has that rank and all workers of the job are connected;
//   - a job goes when a worker whose client has hung up, or the very same client, opens
//     another;
//   - a job whose clients have all hung up goes when the pool has no room. Until then it
//     stays, since clients may hang up after the set-up.
//
// Left out: telling apart two jobs with equal numbers of workers that are set up at the same
// time from the same seats, and any proof of a client's identity.
package session

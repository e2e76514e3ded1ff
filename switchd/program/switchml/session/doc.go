// Package session is what stands behind SwitchML's control protocol: how
// clients become workers of jobs (Session), and how they wait for one another
// meanwhile (Sync). It has no socket and no clock. The caller owes it these steps:
//
//  1. [Machine.Connect] for every connection, before anything it asks, and
//     [Machine.Hangup] after its end.
//  2. [Machine.Broadcast] and [Machine.Barrier] for calls, each with a number of
//     its own; [Machine.Cancel] when the client gave a call up. None is answered
//     by its return: after every method, [Machine.Answers] has what is ready.
//  3. [Machine.Expire] when the time is [Machine.NextDeadline].
//  4. [Machine.Prepare] for a session. The [Change] is carried out on the engine,
//     then [Machine.Settle] is told how it went; nothing comes in between. Where
//     it says so, all that is done again.
//
// # Who is who
//
// A Broadcast has a rank, a Barrier has none. So clients are known by their
// connections: those that called Broadcast with one number of workers form a
// cohort, in which each has the seat of its rank, and a Barrier is one of the
// cohort. Clients that never broadcast wait for their like by number of workers,
// each connection for one worker.
//
//	Broadcast(n, rank) --> seat in the open cohort of n --> Barriers of the cohort
//	UdpSession(id, rank) --> member of job id
//	cohort of workers of a complete job, after its barrier --> not open any more
//
// Only one cohort of each number of workers is open at a time: nothing in the
// protocol would tell two apart.
//
// # Who dies
//
// A client that hangs up breaks its cohort: all who wait in it are told at once
// who it was, and who comes next starts a new one. Of those who never came, a
// barrier tells at its deadline. No job is wedged by one before it:
//
//   - rank 0 that opens its job again (same id, MAC and address) resets it;
//   - a job goes when a worker whose client has hung up, or the very same client,
//     opens another;
//   - a job whose clients have all hung up goes when the pool has no room.
//
// Until then a job stays, for its clients might have hung up after the set-up.
//
// Left out: telling one job from another with the same number of workers that is
// set up at the same time from the same seats, and any proof of who a client is.
package session

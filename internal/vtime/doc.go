// Package vtime is the event queue of the virtual clock: what is due first
// comes out first, and of two events for one instant the one that was put in
// first.
//
// # Structure
//
// The queue is a ladder queue (W. T. Tang, R. S. M. Goh, I. L.-J. Thng, "Ladder
// queue: An O(1) priority queue structure for large-scale discrete event
// simulation", ACM TOMACS 15(3), 2005). Only what is due next is sorted; the rest
// lies in buckets that get finer as their time comes.
//
//	          limit                                           topFrom
//	            |                                                |
//	 [ bottom ] | rung 1:       .   | bucket | bucket | bucket | | top
//	  sorted    |               .                                |  not sorted
//	  up to 64  | rung 2: | | | |                                |
//	            |   (was one bucket of rung 1)                   |
//	now ----------------------------------------------------------> time
//
// Events move from right to left:
//
//   - Push sorts an event that is due before the limit into the bottom. A later
//     one goes to the end of a bucket, or of the top.
//   - Pop takes from the bottom. When that is empty, the next bucket of the
//     lowest rung moves into it, and the limit moves on. A bucket of more than 32
//     events is first divided into 64, a new lowest rung. When all rungs have
//     run empty, the top becomes the first.
//   - When the bottom is full, its later half becomes a new lowest rung, or goes
//     back to the top when there is no rung.
//
// As long as no more than 64 events are pending, nothing but the bottom is used,
// a sorted array: a rack with one deadline a node never climbs the ladder. (A new
// queue starts with all in the top, and sorts at the first Pop.)
//
// The paper's rungs have as many buckets as events. Here they are 64, of a width
// that is a power of two: a word of bits finds the next bucket in use, a shift
// finds the bucket of a time, and a rung has no array of its own to allocate.
//
// # Order of equal times
//
// No event carries a sequence number. Instead, events for one instant never
// overtake each other:
//
//   - All of them that are in the ladder are in one list, or the earlier ones are
//     in a lower rung; a list is in order of pushing where times are equal.
//   - An event of the bottom was pushed before any of the ladder for the same
//     time: a push for the limit itself goes to the ladder.
//   - Lists are divided from the front, and the bottom gives back to the front.
//
// So a million events for one instant need no sorting: they stay in one bucket,
// which no rung divides, and the bottom takes 32 at a time.
//
// # Cost
//
// Push and Pop take constant time, amortised, for a mixture of near deadlines
// and far timers. Whatever the times, an event moves down 11 rungs at most (64
// to the 11th exceeds all of time), is sorted among 64 at most, and goes back
// only when 32 others have been pushed. Pushes that go ever further back in
// time, before what has been popped, make a rung for every 32 of them; a rung is
// then found by halves, in logarithmic time.
//
// An event of the ladder takes 16 bytes and no pointer, so that the garbage
// collector has nothing to follow. At least a quarter of the memory is in use,
// but for 256 KiB that are kept: bursts are paid back, small ones allocate once.
package vtime

// Package vtime is the event queue of the virtual clock. Events come out in order
// of time; events for one instant come out in the order in which they were pushed.
//
// The queue is a ladder queue (Tang, Goh, Thng, "Ladder queue: An O(1) priority
// queue structure for large-scale discrete event simulation", ACM TOMACS 15(3),
// 2005). Only the events due next are sorted:
//
//	          limit                                           topFrom
//	            |                                                |
//	 [ bottom ] | rung 1:       .   | bucket | bucket | bucket | | top
//	  sorted    |               .                                |  not sorted
//	  up to 64  | rung 2: | | | |                                |
//	            |   (was one bucket of rung 1)                   |
//	now ----------------------------------------------------------> time
//
// An empty bottom takes the next bucket, which is first divided into a new rung if it
// holds more than 32 events. A full bottom gives its later half back. The paper's rungs
// have a bucket for each event; these have 64, so that one word of bits finds the next.
//
// No event carries a sequence number, because events for one instant never
// overtake each other:
//
//   - In the ladder they are in one list, in order of pushing, or the earlier ones
//     are in a lower rung.
//   - Those in the bottom were pushed before those in the ladder: a push for the
//     limit itself goes to the ladder.
//   - Lists are divided from the front, and the bottom gives back to the front.
//
// Push and Pop take amortised constant time, or logarithmic time for pushes that go
// ever further back behind the last Pop.
package vtime

// Package groups keeps the books of XAgg's group-based reliability (XAgg §IV-D): which groups of a
// sender an aggregator has checked, which packets were lost, and what a sender has to send again.
// It has no sockets and no clock, and sees packets only as host ids and 1-based indexes.
//
//	sender                                   aggregator
//	Next     --- packets 1..1024, the last ends a group --->  element map, check queue
//	Report   <--- loss report: indexes that lack ----------   Checked (queue entry)
//	Next     --- packets sent again, the last ends them --->  Checked
//	Done     --- done ------------------------------------->  Done: the three final checks
//	Complete <--- complete ---------------------------------  Event.Complete
//
// A [Receiver] stands at an aggregator, the PS or a worker that receives results. A queue entry has
// the group of its index checked against the element map. What lacks goes into the lost list and is
// asked for. Done starts the paper's final checks: the tail that no full group holds, the groups
// whose end packet was lost, and the lost list. What was asked for and still lacks is asked for
// again after [Config.Again]. A sender repeats its end until it is told that all is there.
//
// An index is asked for only while it lacks, and at most once in [Config.Again]. Packets that are
// late and not lost are spared if [Config.Settle] exceeds the reordering of the network: a check
// waits so long before it asks. If Again also exceeds the time in which a sender answers, an index
// is asked for at most as often as it, or a report that names it, was lost.
//
// A sender gets at most [MaxReports] loss reports in that time, those of the first groups: the others
// wait until the next, so that reports of a large model do not crowd out what they ask for.
//
// # Duties of the caller
//
//  1. At an aggregator: call [Receiver.Checked] for every entry of the check queue, also of packets
//     sent again, and [Receiver.Done] when a sender says that it is done. Call [Receiver.Expire] at
//     [Receiver.NextDeadline]. Then send the [Event] values that [Receiver.Events] returns.
//  2. At a sender: send what [Sender.Next] returns, at the negotiated rate. Call [Sender.Report] and
//     [Sender.Complete] for messages. Call [Sender.Expire] at [Sender.NextDeadline], and send a done
//     message when it says so.
//  3. Take [Receiver.Losses] once in a statistical period, for the negotiator (package rates).
package groups

// Package metrics offers the counters, ports and jobs of a running lab's switches to Prometheus, with each
// scrape asking anew.
//
//	scrape ──> Collector ──> watch.Look ──> control sockets of the lab
//
// A series is inalab_VIEW_KEY{lab, switch, engine, and what names the row}: inalab_ports_in_total, inalab_jobs_packets, ...;
// counters are inalab_events_total{event="..."}. Times are of the run's own clock where a key says so.
// A switch that does not answer has inalab_up 0 and no other series.
//
// Source: the text format and its names, prometheus.io/docs/practices/naming.
//
// Left out: histograms, and what hosts count.
package metrics

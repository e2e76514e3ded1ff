// Package live has the experiments on real packets, in namespaces, on links that are
// slower than the papers' by a scale. They need privileges.
//
//	experiment --> lab --> a run, again if the machine was too busy for its times
//
// What does not depend on times (counters, sums, events) is claimed as it is; times
// are claimed as ratios of runs of one scale.
package live

// Package chip has the experiments on emulated chips that are driven by hand: the
// threads, memory and timers of a Trio PFE, and passes, ports and memory of a Tofino
// pipeline. The [Machine] is a PFE as the constants describe it; runs of package
// virtual are on the same.
package chip

package switchml

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"switchml.pool":            "slots, before scaling",
		"switchml.unscaled-pool":   "the pool is used as it is",
		"switchml.retransmit":      "packets are sent again after a timeout",
		"switchml.timeout":         "that timeout: `default` is 10 ms live and 1 ms virtual, or four round trips of a full pool if that is more",
		"switchml.timeout180":      "that of packets of 180 bytes; `default` is as above",
		"switchml.faithful":        "no check for late packets, as in the paper and the public program",
		"switchml.pipe":            "what aggregates: the pipeline of an emulated Tofino, or the reference program",
		"switchml.timing":          "passes of the pipeline take time; virtual clock only",
		"switchml.ecn-threshold":   "cells of 80 bytes in a queue of the pipeline at which packets are marked",
		"switchml.message-packets": "packets of a message of RDMA",
		"switchml.threads":         "of a worker, each with a part of the pool",
		"switchml.backoff":         "how a timeout grows that comes again: not, or as in the public client",
		"switchml.tensors":         "how a gradient is handed over: whole, layer by layer, or as one stream of layers",
		"switchml.values":          "what packets carry",
		"switchml.scaling":         "how the factor follows from the exponent of a block",
	}
}

package xagg

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"xagg.tree":        "a k-ary tree of equal workers; one planned after a first iteration; that of the paper's testbed; the parameter server alone",
		"xagg.k":           "most children of a node",
		"xagg.values":      "of a packet",
		"xagg.agents":      "send agents of a worker",
		"xagg.store":       "where elements of sums are, live: in the kernel if it can, in the kernel, or in the agent's process",
		"xagg.delays":      "what negotiation takes under the virtual clock: the paper's times, or none",
		"xagg.factor":      "that values are multiplied by before they are integers",
		"xagg.spares":      "servers beyond those that the tree needs",
		"xagg.cores":       "idle cores of a server, for the management plane",
		"xagg.memory":      "of a server in GiB, for the management plane",
		"xagg.busy-server": "number of a server that reports no idle core; the first is 1, and 0 is none",
		"xagg.busy-at":     "from when on it does",
	}
}

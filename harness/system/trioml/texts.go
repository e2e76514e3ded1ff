package trioml

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"trio.late":            "a packet of a block that is done: dropped; dropped if its generation is older; or taken for a new block",
		"trio.age":             "what follows when a block ages out: the next waits for the same workers, or not until they are heard from",
		"trio.wake":            "a worker that fell behind: goes on with the newest, or sends every block",
		"trio.aging":           "blocks that wait too long for a worker are sent without it",
		"trio.gradients":       "of a packet",
		"trio.window":          "packets of a worker in flight, before scaling",
		"trio.block-cnt-max":   "blocks of a job that may be open in a PFE; 0: the default of the program, or the window if that is more",
		"trio.block-grad-max":  "gradients of a block that a PFE accepts; 0: as many as a packet has",
		"trio.threads":         "timer threads that look for old blocks",
		"trio.timeout":         "of the timer threads: a block ages in one to two of them",
		"trio.pfe":             "what aggregates: Microcode on an emulated PFE, or the reference program",
		"trio.stragglers":      "a worker out of service is missed as any straggler, or the others are told and divide its share",
		"trio.look":            "how often it is looked whether a straggler is permanent; 100 ms where it is left out",
		"trio.permanent-after": "looks in a row after which it is; 0: 10",
	}
}

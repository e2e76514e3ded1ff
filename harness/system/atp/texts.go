package atp

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"atp.aggregators":        "aggregators of each switch, before scaling; 0: servers add all",
		"atp.unscaled":           "aggregators, window and span are used as they are",
		"atp.indexing":           "how a fragment finds its aggregator: hash of the place in the window, hash of the number, number modulo the table, likewise in the job's part",
		"atp.parts":              "parts of a static table; the job with id n has the n-th",
		"atp.rehash":             "where a fragment goes that collided: a free index, the hash of the old one, nowhere, or any that the job does not use",
		"atp.moves":              "what moves then: all packets that would name an index, or those of a place in the window",
		"atp.remap":              "a new index holds at once, or for all workers from one number on",
		"atp.levels":             "both edge switches aggregate, the first alone, or every switch on the way",
		"atp.age":                "how long an aggregator is kept that nobody completes; 0s is the default",
		"atp.servers":            "servers on hosts of their own, or beside the first workers",
		"atp.server-count":       "servers of a job",
		"atp.threads":            "of a worker, each with a window for each server",
		"atp.factor":             "that values are multiplied by before they are integers",
		"atp.window":             "packets of a worker at the start, before scaling",
		"atp.span":               "packets from the oldest that lacks its parameters to the newest sent, before scaling",
		"atp.least-window":       "the least that congestion leaves of a window, in packets",
		"atp.congestion-control": "off: the window stays as it is",
		"atp.growth":             "slow start adds an MTU for a parameter packet, or a packet",
		"atp.threshold":          "slow start until the first mark, or no slow start",
		"atp.halving":            "the window halves once in a window, or with each mark",
		"atp.resend":             "what is sent again because others came first",
		"atp.timeout-resend":     "what a timeout sends again: all in flight, or the expected packet",
		"atp.timeout-window":     "what a timeout does to the window",
		"atp.timeout":            "after which a worker sends again; 0s is the default",
		"atp.overlap":            "a packet that has more workers than the store: dropped, or taken in its place",
		"atp.copy":               "at which a server copies frames, before scaling; virtual clock only",
		"atp.ring":               "frames that wait for that, before scaling; 0: no limit",
		"atp.pipe":               "what runs in switches: the program on an emulated Tofino, or the reference program",
		"atp.timing":             "passes of the pipeline take time; virtual clock only",
	}
}

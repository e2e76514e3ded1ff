package dataplane

import "github.com/inalab/inalab/internal/sansio"

// Loss is what a drop simulator does to the packets of a program at a port.
type Loss struct {
	Port        sansio.Port
	Leaving     bool    // those sent by the port; else those that arrive there
	Probability float64 // of each packet, by itself: 0 to 1
}

// Lossy is an engine that loses packets on request, as the drop simulator of a
// switch program does. Calls come as those of [Viewed] do.
type Lossy interface {
	// Lose sets the probability of one port and direction; 0 ends it. An error is a
	// [*Refusal], and nothing has changed.
	Lose(Loss) error
	// Losses returns what is set, by port, arrivals first.
	Losses() []Loss
	// ReseedLosses begins the dice of one port and direction anew. Those of others run
	// on: which packets are lost at a port depends on its seed, and on nothing that other
	// ports do. An error is a [*Refusal].
	ReseedLosses(port sansio.Port, leaving bool, seed uint64) error
}

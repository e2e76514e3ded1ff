// Package switchmlrdma is a host of SwitchML's RDMA variant (NSDI 2021, §5 and App B).
// The protocol is that of package switchml, with a message in place of a packet. A
// [Core] gives blocks of a whole message to queue pairs of an emulated network card.
//
//	block --> queue pair i --write--> packets 0 .. m-1 --> slots i*m .. i*m+m-1 of the switch
//	sums  <-- completion   <--------- packets 0 .. m-1 <-- each as its slot is complete
//
// Queue pair i of Q carries blocks i, i+Q, i+2Q and so on, one at a time, and flips the
// set of its slots with every message. Exponents are agreed one message ahead, so the
// first message of a queue pair in each tensor carries an exponent only. The metadata
// is in fields of RDMA:
//
//	RETH.rkey     index in the pool: twice the first slot of the message, bit 0 the set
//	RETH.address  where the result goes in the host's memory; the switch echoes it
//	RETH.length   bytes of the message
//	immediate     low 16 bits of the message's number on its queue pair, e0, e1
//
// On the way down the card is the responder of an unreliable connection (App B). A packet
// that does not follow its predecessor makes it silently drop the whole message, and all
// packets up to the next first one, whose PSN it takes up.
//
// A message without a result after Timeout is sent again whole, with new PSNs. Its
// timeout doubles each time (assumed; the paper has one of 1 ms, §6.3).
//
// Left out: slot memory on a GPU, which also scales and swaps bytes in real hosts;
// threads and streaming (one core suffices, §5); the exchange of queue pair numbers,
// which is the control plane's.
package switchmlrdma

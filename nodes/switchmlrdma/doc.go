// Package switchmlrdma is a host of SwitchML's RDMA variant (NSDI 2021, §5 and
// App B). The protocol is that of package switchml with a message in place of a
// packet: a [Core] cuts the tensor into blocks of a whole message, and gives each
// message to a queue pair of an emulated network card, which cuts it into packets.
//
//	block --> queue pair i --write--> packets 0 .. m-1 --> slots i*m .. i*m+m-1 of the switch
//	sums  <-- completion   <--------- packets 0 .. m-1 <-- each as its slot is complete
//
// Queue pair i carries blocks i, i+Q, i+2Q and so on, one at a time, and flips the
// set of its slots with every message. Scaling factors are agreed one message
// ahead, as in package switchml one packet: so the first message of a queue pair in
// each tensor carries an exponent only. The metadata is in fields of RDMA:
//
//	RETH.rkey     index in the pool: twice the first slot of the message, bit 0 the set
//	RETH.address  where the result goes in the host's memory; the switch echoes it
//	RETH.length   bytes of the message
//	immediate     low 16 bits of the message's number on its queue pair, e0, e1
//
// # The network card
//
// On the way up it counts PSNs for each queue pair. On the way down it is the
// responder of an unreliable connection (App B): a packet that does not follow the
// one before makes it drop all of the message, without a word, and what comes after
// it up to the next first packet, whose PSN it takes up, whatever that is. What
// arrives is written to memory at once; the host looks there only when the message
// is complete, and the immediate is that of the message which it waits for.
//
// A message without a result after Timeout is sent again, all of it, with new PSNs;
// its timeout doubles each time (assumed; the paper has one of 1 ms, §6.3).
//
// Real hosts keep slot memory on a GPU, which also scales and swaps bytes; here the
// host does. Left out: threads and streaming (one core suffices, §5), and the other
// uses of a queue pair. Queue pairs are ready from the start: numbers are exchanged by
// the control plane.
package switchmlrdma

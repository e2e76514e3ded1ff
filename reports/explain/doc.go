// Package explain tells the life of one block from the recorded events of a run: who sent
// it when, when it arrived where, what timers did, who got the result, and what went wrong.
//
//	events.ndjson.gz ──► Read ──► runs ──► Find ──► Life ──► Text or JSON
//	{"run":{...}}                 one for each      lines in order of time,
//	{"at_ps":...}                 system and p      and a verdict
//
// It needs the records alone, so it explains old runs as well. For a protocol with slots it
// shows slot and packet as well as the block.
//
// Left out: why a packet was lost. The stall's message and counters.json name the link.
package explain

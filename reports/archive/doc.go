// Package archive writes the directory of results of one run.
//
//	results/                                 Options.Root
//	├── latest -> 20260102T150405Z-straggler-3f9a1c
//	└── 20260102T150405Z-straggler-3f9a1c/   never overwritten
//	    ├── COLUMNS.md       what the columns of the other files mean
//	    ├── scenario.yaml, topology.json     as resolved
//	    ├── samples.jsonl    a stream: each line is safe once written
//	    ├── events.ndjson    likewise: what happened to blocks
//	    ├── summary.csv, fidelity.json, counters.json
//	    ├── logs/<node>.log
//	    └── manifest.json    last, and at once: without it the run is incomplete
//
// A run that dies leaves what it had written so far. Nothing is replaced: a name
// that exists is an error, and so is anything after the manifest.
//
// Directories and files are given to the calling user as they are made, and
// once more at the end, since logs are written by others.
//
// What is left out: what the numbers mean (package render makes the tables), and
// the captures of later versions.
package archive

// Package archive writes the directory of results of one run, and reads it again.
//
//	results/                                 Options.Root
//	├── latest -> 20260102T150405Z-straggler-3f9a1c
//	└── 20260102T150405Z-straggler-3f9a1c/   never overwritten
//	    ├── COLUMNS.md       what the columns of the other files mean
//	    ├── scenario.yaml, topology.json     as resolved
//	    ├── samples.jsonl    a stream: each line is safe once written
//	    ├── events.ndjson.gz likewise: what happened to blocks
//	    ├── summary.csv, fidelity.json, counters.json
//	    ├── record.json.gz   what reports are made of
//	    ├── report.html, report.md, *.svg, *.pdf
//	    ├── logs/<node>.log
//	    └── manifest.json    last, and at once: without it the run is incomplete
//
// A run that dies leaves the files written so far. An existing name is an error, and so is
// anything after the manifest. Directories and files are given to the calling user as they are
// made, and again at the end, since others write the logs.
//
// [Open] reads a directory of results again, and [Past.Record] what tables, figures and reports
// of a run are made of.
//
// Left out: the meaning of the numbers (package render).
package archive

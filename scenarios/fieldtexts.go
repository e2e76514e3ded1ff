package scenarios

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/linktext"
)

// fieldText is what docs/scenario-fields.md says of a key.
type fieldText struct {
	kind    string // type or unit; empty: that of the Go type
	missing string // what holds where it is left out; empty: what defaults.yaml says, or the key is needed
	allowed string // empty: any of its kind
	text    string
}

// optional is what holds where most keys are left out.
const optional = "none"

// Kinds of text that keys hold.
const (
	kindTime  = "time (`10ms`)"
	kindRate  = "rate (`25Gbit/s`)"
	kindBytes = "bytes (`4MiB`)"
	kindShare = "share (`1%`, `0.01`)"
	kindHost  = "host"
	kindHosts = "host, `*` for any letters"
	kindName  = "name"
	kindWord  = "word"
)

func upTo(lo, hi int) string { return fmt.Sprintf("%d to %d", lo, hi) }

func words(list []string) string { return "`" + strings.Join(list, "`, `") + "`" }

// fieldTexts has a text for each key of each type of a file; a test holds it to the types.
var fieldTexts = map[reflect.Type]map[string]fieldText{
	reflect.TypeFor[raw](): {
		"apiVersion":  {kind: kindWord, allowed: "`" + APIVersion + "`", text: "version of this format"},
		"kind":        {kind: kindWord, allowed: "`Scenario`", text: "what the file is"},
		"name":        {kind: kindName, missing: "that of the file up to its first dot", allowed: "a-z, 0-9, -", text: "of the scenario; its results have it in their directory's name"},
		"description": {kind: "text", missing: "empty", text: "what it is for, in a line"},
		"seed":        {text: "root of all randomness; `--seed` overrides it"},
		"model":       {kind: "name, or [model](#model)", text: "the network that is trained, or a size without training"},
		"iterations":  {allowed: upTo(1, MaxIterations), text: "model updates of each run"},
		"mini-batch":  {missing: "that of the training", allowed: upTo(0, 1000), text: "images of a step; 0 is the default"},
		"scale":       {kind: "number, or `auto`", allowed: upTo(1, MaxScale), text: "what rates, sizes, windows, pools and queues are divided by; `auto`: live what this machine carries, virtual a number by rule"},
		"hosts":       {allowed: upTo(2, topo.MaxHosts), text: "workers; with `jobs` all hosts"},
		"mtu":         {kind: "bytes, a number", allowed: upTo(topo.MinMTU, topo.MaxMTU), text: "of IP packets"},
		"topology":    {kind: "name, path of a [file](topologies.md), or [topology](#topology)", text: "of systems that name none"},
		"link":        {kind: "[link](#link)", text: "each link of a host, and between switches where `uplink` says nothing else"},
		"uplink":      {kind: "[link](#link)", missing: "as `link`", text: "what differs between switches"},
		"fabric":      {kind: "[link](#link)", text: "between two PFEs of a chassis"},
		"links":       {kind: "list of [changes](#links)", missing: optional, text: "links that differ, in every topology"},
		"workers":     {kind: "list of [workers](#workers)", missing: optional, text: "workers that compute for other times"},
		"systems":     {kind: "list of [systems](#systems)", missing: "those of `jobs`", text: "what is compared: a run each"},
		"jobs":        {kind: "list of [jobs](#jobs)", missing: "one on all hosts", text: "jobs that share the lab"},
		"stragglers":  {kind: "[stragglers](#stragglers)", text: "workers that sleep, drawn by the seed"},
		"programs":    {kind: "list of [programs](#programs)", missing: optional, text: "real programs on hosts during the run; live only"},
		"flows":       {kind: "list of [flows](#flows)", missing: optional, text: "traffic beside the jobs"},
		"interval":    {kind: kindTime, missing: "a hundredth of the run, with jobs or flows; else no series", text: "of series.csv"},
		"transit":     {kind: "list of [transit](#transit)", missing: optional, text: "programs that frames pass in switches"},
		"at":          {kind: "list of [events](#at)", missing: optional, text: "what happens at a time of the run"},
		"takes":       {kind: "text", missing: optional, text: "how long it runs, for `inalab list`"},
		"expect":      {kind: "list of [checks](#expect)", missing: optional, text: "what must hold of the results; else exit code 1"},
		"variant":     {kind: kindName, missing: optional, allowed: "one of `variants`", text: "the set of values that holds"},
		"variants":    {kind: "mapping of names to values", missing: optional, allowed: "all keys but name, description, sweep, expect", text: "sets of values by name, for `variant` or the sweep"},
		"sweep":       {kind: "list of mappings of keys to lists", missing: optional, allowed: fmt.Sprintf("%d points", MaxPoints), text: "entries make a grid, keys of one entry go in step"},
	},
	reflect.TypeFor[rawModel](): {
		"bytes":   {kind: kindBytes, allowed: fmt.Sprintf("%v to %v", leastModel, mostModel), text: "of the gradient, before scaling; its values are made up"},
		"size":    {kind: kindBytes, missing: "`bytes`", allowed: fmt.Sprintf("%v to %v", leastModel, mostModel), text: "another word for `bytes`"},
		"compute": {kind: kindTime, missing: "0s", allowed: fmt.Sprintf("up to %v", mostCompute), text: "of each iteration; not scaled"},
	},
	reflect.TypeFor[rawShape](): {
		"generator": {kind: kindName, missing: "that of the file", allowed: words(gen.Names()), text: "what makes the topology"},
		"file":      {kind: "path", missing: "`generator`", text: "a [topology file](topologies.md), from the directory of the scenario, in place of generator and counts"},
		"sources":   {kind: "mapping of paths to texts", missing: "the files are read", text: "texts of that file and of the programs that it names; scenario.yaml of a run has them"},
		"hosts":     {missing: "that of the file", allowed: upTo(2, topo.MaxHosts), text: "workers of runs on it"},
		"leaves":    {missing: "that of the generator", text: "leaves of leaf-spine and of fabrics of chassis"},
		"spines":    {missing: "that of the generator", text: "spines of these"},
		"racks":     {missing: "that of the generator", text: "of multi-rack"},
		"depth":     {missing: "that of the generator", text: "levels of a tree"},
		"fan-out":   {missing: "that of the generator", text: "switches below one of a tree"},
		"links":     {kind: "list of [changes](#links)", missing: optional, text: "links that differ, in this topology"},
	},
	reflect.TypeFor[linktext.Link](): {
		"rate":            {kind: kindRate + ", or `unlimited`", missing: "`unlimited`", text: "of the line, before scaling"},
		"delay":           {kind: kindTime, missing: "0s", text: "on the wire; not scaled"},
		"jitter":          {kind: kindTime, missing: "0s", allowed: "up to `delay`", text: "that the delay varies by, as `distribution` says; frames never overtake for it"},
		"loss":            {kind: kindShare, missing: "0%", allowed: "0% to 100%", text: "of frames that are lost, each alone or in bursts"},
		"loss-every":      {missing: "0", allowed: upTo(0, 1<<30), text: "the wire loses every n-th frame; 0: none"},
		"burst":           {kind: "number, or `none`", missing: "`none`", text: "mean length of a burst of losses in frames"},
		"gilbert-elliott": {kind: "[mapping](#gilbert-elliott)", missing: optional, text: "losses by a chain of two states, in place of `loss` and `burst`"},
		"queue":           {kind: kindBytes, missing: "no limit", text: "bytes that may wait for the line, before scaling"},
		"ecn":             {kind: "[mapping](#ecn)", missing: optional, text: "what is marked for congestion"},
		"distribution":    {kind: kindWord, missing: "`uniform`", allowed: words(topo.DistributionWords()), text: "of the delay around `delay`, scaled by `jitter`"},
		"reorder":         {kind: kindShare, missing: "0%", allowed: "0% to 100%", text: "of frames that pass the wire without delay and overtake; needs a `delay`"},
		"reorder-gap":     {missing: "0", allowed: upTo(0, topo.MaxReorderGap), text: "at most one frame in so many overtakes; 0: any may"},
		"duplicate":       {kind: kindShare, missing: "0%", allowed: "0% to 100%", text: "of frames that arrive twice"},
		"corrupt":         {kind: kindShare, missing: "0%", allowed: "0% to 100%", text: "of frames in which a bit flips: the far end drops them by their FCS"},
		"drop":            {kind: "list of [drops](#drop)", missing: optional, text: "packets that are lost by name; `[]`: none any more"},
	},
	reflect.TypeFor[linktext.Drop](): {
		"job":     {missing: "1", allowed: upTo(1, topo.MaxScriptJob), text: "whose packets: 1 is the first of `jobs`, or the only one"},
		"slot":    {allowed: "what the system has", text: "slot, block, aggregator or fragment, as the packets of the job's system name it"},
		"packets": {kind: "list of numbers", allowed: "from 1", text: "which packets of that slot, counted on this direction of the link from the start of the run"},
	},
	reflect.TypeFor[linktext.Bursts](): {
		"enter": {kind: kindShare, text: "chance of turning bad, for each frame"},
		"leave": {kind: kindShare, text: "chance of turning good again"},
		"good":  {kind: kindShare, missing: "0%", text: "of frames lost in the good state"},
		"bad":   {kind: kindShare, text: "of frames lost in the bad one"},
	},
	reflect.TypeFor[linktext.ECN](): {
		"threshold": {kind: kindBytes, missing: optional, text: "a frame that finds more waiting is marked; before scaling"},
		"min":       {kind: kindBytes, missing: optional, text: "RED: bytes at which marking begins; before scaling"},
		"max":       {kind: kindBytes, missing: optional, text: "RED: bytes at which every frame is marked; before scaling"},
		"p":         {kind: kindShare, missing: optional, text: "RED: share that is marked just below `max`"},
		"weight":    {kind: kindShare, missing: "the depth itself", text: "RED: of the newest depth in the average"},
	},
	reflect.TypeFor[linktext.At](): {
		"at":   {kind: kindHosts, missing: "`from` or `to`", text: "both directions of the links at a node; keys of [link](#link) stand beside it, and what they leave out stays as it was"},
		"from": {kind: kindHosts, missing: "any", text: "one direction: where it begins"},
		"to":   {kind: kindHosts, missing: "any", text: "one direction: where it ends"},
	},
	reflect.TypeFor[rawWorkerAt](): {
		"at":      {kind: kindHosts, text: "whose compute time changes"},
		"compute": {kind: "factor (`1.2x`)", missing: "as before", allowed: "0.001x to 1000x", text: "times the model's compute time"},
		"lag":     {kind: kindTime, missing: "as before", allowed: "up to 1h", text: "and so much longer in each iteration; not scaled"},
	},
	reflect.TypeFor[rawSystem](): {
		"system":      {kind: kindName, allowed: "a system of `inalab list`", text: "what runs; an entry that says nothing else may be this name alone"},
		"topology":    {kind: "name, or [topology](#topology)", missing: "that of the file", text: "where it runs"},
		"if-possible": {missing: "false", text: "it is left out where it cannot run, and named under the table"},
	},
	reflect.TypeFor[rawJob](): {
		"name":       {kind: kindName, missing: "`job1`, `job2`, ...", allowed: "a-z, 0-9, -", text: "in the results"},
		"system":     {kind: kindName, missing: "that of `systems`", allowed: "a system of `inalab list`", text: "what it runs, in every run"},
		"hosts":      {kind: "list of hosts", text: "where its workers are"},
		"servers":    {kind: "list of hosts", missing: optional, text: "where its servers are, if they have hosts of their own"},
		"model":      {kind: "name, or [model](#model)", missing: "that of the file", text: "what it trains"},
		"iterations": {missing: "that of the file", allowed: upTo(1, MaxIterations), text: "model updates"},
		"timeout":    {kind: kindTime, missing: "`trio.timeout`", text: "how long blocks of Trio-ML wait for a late worker of this job"},
		"start":      {kind: kindTime, missing: "0s", allowed: "up to 1h", text: "when it begins"},
		"stop":       {kind: kindTime, missing: "when it is done", text: "when it is ended"},
		"repeat":     {kind: "[mapping](#repeat)", missing: optional, text: "its pauses"},
	},
	reflect.TypeFor[rawRepeat](): {
		"iterations": {allowed: upTo(1, MaxIterations), text: "after so many there is a pause"},
		"off":        {kind: kindTime, allowed: "up to 1h", text: "how long it is"},
	},
	reflect.TypeFor[rawStragglers](): {
		"p":         {kind: "list of shares", text: "chance of a straggler at each of three delay points of an iteration; a run each"},
		"semantics": {kind: kindWord, allowed: words(fault.Readings()), text: "who may straggle, and how often in all"},
		"outages":   {kind: "list of [outages](#outages)", missing: optional, text: "workers out of service, beside those that are drawn"},
	},
	reflect.TypeFor[rawOutage](): {
		"worker":    {allowed: "from 0", text: "number of the worker"},
		"iteration": {allowed: "from 0", text: "in which it begins"},
		"for":       {kind: kindTime, text: "how long"},
	},
	reflect.TypeFor[rawProgram](): {
		"host":    {kind: kindHost, text: "where it runs"},
		"command": {kind: "list of words", text: "the program and its arguments"},
	},
	reflect.TypeFor[rawFlow](): {
		"name":    {kind: kindName, text: "in the results"},
		"kind":    {kind: kindWord, allowed: "`udp`, `tcp`", text: "what it is"},
		"from":    {kind: kindHost, text: "who sends"},
		"to":      {kind: kindHost, text: "who receives"},
		"rate":    {kind: kindRate, missing: "of TCP what the network takes; of UDP it is needed", text: "while it is on, before scaling"},
		"packet":  {kind: "bytes, a number", missing: "1500 or the MTU of UDP, 16 KiB of TCP", text: "an IP packet of UDP, or a write of TCP"},
		"on":      {kind: kindTime, missing: "always", text: "how long it sends; alternates with `off`"},
		"off":     {kind: kindTime, missing: "never", text: "how long it is silent"},
		"start":   {kind: kindTime, missing: "0s", text: "when it begins"},
		"stop":    {kind: kindTime, missing: "with the last job", text: "when it ends"},
		"ecn":     {missing: "false", text: "its packets may be marked; TCP reacts to marks"},
		"options": {missing: "false", text: "packets of UDP have an option in their IP header"},
	},
	reflect.TypeFor[rawAt](): {
		"time":    {kind: kindTime, text: "from the start of the run"},
		"link":    {kind: "[change](#links)", missing: optional, text: "links that change"},
		"kill":    {kind: "node", missing: optional, text: "its process ends at once"},
		"stop":    {kind: "node, job or flow", missing: optional, text: "it ends in order"},
		"start":   {kind: "node, job or flow", missing: optional, text: "it begins, or begins again"},
		"on":      {kind: "host or switch", missing: "where it was", text: "the spare host of a worker that starts, or the switch of `raise`"},
		"forget":  {kind: "switch", missing: optional, text: "its programs lose what they remember of packets"},
		"raise":   {kind: kindName, missing: optional, text: "an external event of Microcode programs in transit of the switch `on`"},
		"value":   {missing: "0", text: "number for the event's thread"},
		"program": {kind: kindName, missing: "all that declare it", text: "who takes the event"},
	},
	reflect.TypeFor[rawExpect](): {
		"table":  {kind: kindWord, missing: "summary", allowed: words(render.RunTables), text: "whose column it is"},
		"column": {kind: "column", text: "as COLUMNS.md names it"},
		"where":  {kind: "mapping of columns to values", missing: "all rows", text: "the rows that the check is about"},
		"min":    {missing: "no bound", text: "the least that they may have, in the unit of the CSV file"},
		"max":    {missing: "no bound", text: "the most"},
	},
	reflect.TypeFor[rawTransit](): {
		"program":      {kind: kindName, allowed: "`filter`, `telemetry`, `police`, or a file of Microcode (`x.mc`)", text: "what frames pass"},
		"switch":       {kind: kindName, missing: "all", text: "where"},
		"pfe":          {kind: kindName, missing: "all", text: "on which PFE of a chassis"},
		"config":       {kind: "mapping", missing: "the program's defaults", text: "fields of the program's `Config`; rates there are not scaled"},
		"collector":    {kind: kindHost, missing: optional, text: "who takes the reports of `telemetry`"},
		"source":       {kind: "text", missing: "the file", text: "the program itself"},
		"name":         {kind: kindName, missing: "the file's name up to the dot", text: "in counters and in `inalab switch`"},
		"direction":    {kind: kindWord, missing: "`ingress`", allowed: "`ingress`, `egress`", text: "when frames arrive, or at the PFE that they leave by"},
		"records":      {missing: "4096", text: "that the hash table has room for"},
		"instructions": {missing: "65536 for a packet, 1048576 for others", text: "that a thread may execute; an endless one ends there (assumed)"},
		"match":        {kind: "[match](#match)", missing: "all frames", text: "which frames pass it"},
		"next-hops":    {kind: "list of [hops](#next-hops)", missing: "0 is `routing`", text: "what numbers of `Forward` stand for"},
		"timers":       {kind: "list of [timers](#timers)", missing: optional, text: "of `timer` entries"},
		"memory":       {kind: "list of [words](#memory)", missing: "0", text: "what variables hold at first"},
		"tables":       {kind: "list of [tables](#tables)", missing: optional, text: "what tables hold at first"},
	},
	reflect.TypeFor[rawMatch](): {
		"ethertype": {kind: "word or number", missing: "any", allowed: "`ipv4`, `arp`, a number", text: "of the frame"},
		"dst":       {kind: "address or prefix", missing: "any", text: "destination"},
		"protocol":  {kind: "word or number", missing: "any", allowed: "`icmp`, `tcp`, `udp`, a number", text: "of IP"},
		"port":      {missing: "any", text: "destination port"},
	},
	reflect.TypeFor[rawHop](): {
		"number": {text: "of `Forward`"},
		"to":     {kind: kindWord, allowed: "`routing`, a port, a host", text: "where frames go"},
	},
	reflect.TypeFor[rawTimer](): {
		"name":    {kind: kindName, text: "of the `timer` entry"},
		"period":  {kind: kindTime, text: "between two visits of a thread"},
		"threads": {missing: "1", text: "how many there are"},
	},
	reflect.TypeFor[rawMemory](): {
		"name":   {kind: kindName, text: "with fields and indexes, as `limits[3].burst`; `COUNTER.every` is a threshold"},
		"value":  {kind: "number, or `never`", missing: "`values`", text: "what it holds"},
		"values": {kind: "list of numbers", missing: "`value`", text: "of an array, from its first element on"},
	},
	reflect.TypeFor[rawTable](): {
		"name":    {kind: kindName, text: "of the table in the source"},
		"records": {kind: "list of mappings", missing: optional, text: "of a hash table: `key`, and fields with their values"},
		"routes":  {kind: "list of [routes](#routes)", missing: optional, text: "of a table of routes"},
		"terms":   {kind: "list of [terms](#terms)", missing: optional, text: "of a filter"},
	},
	reflect.TypeFor[rawRoute](): {
		"to":  {kind: "prefix", text: "destination"},
		"hop": {text: "number of a next hop"},
	},
	reflect.TypeFor[rawTerm](): {
		"name":  {kind: kindName, missing: optional, text: "of the term"},
		"match": {kind: "mapping of fields to values", missing: "any packet", text: "a value, `VALUE/MASK`, or `ADDRESS/LENGTH`"},
		"value": {missing: "0", text: "what the program gets"},
	},
}

// knobTexts returns what a system says of its knobs.
func knobTexts(s job.System) map[string]string {
	if d, ok := s.(job.Described); ok {
		return d.KnobTexts()
	}
	return nil
}

// Package profiles states, as data, the networks that the papers train, for
// replay: how large the gradient is, in which tensors it comes, and how long a
// worker computes between two of them. The times of communication come out of a
// run; these go in.
//
//	|<------------ one iteration ------------>|
//	| Compute            | aggregation of     |
//	| forward, backward, | Size bytes         |
//	| update             | (measured)         |
//
// The data is profiles.yaml, one [Profile] a model with one [Row] for each paper
// and link rate that has it:
//
//	model            MiB   Trio  SwitchML  ATP  XAgg   layer list   compute time of the profile
//	resnet50          98    x       x       x    x     public       assumed, A100
//	vgg11            507    x               x          public       assumed, A100
//	densenet161      109    x                          public       assumed, A100
//	deeplight       2319            x                  synthetic    from the row, P100
//	lstm            1627            x                  synthetic    from the row, P100
//	bert            1274            x                  public       from the 10 Gbps row, P100
//	vgg19            548            x       x          public       from the row, P100
//	ugatit           511            x                  synthetic    from the row, P100
//	ncf              121            x                  assumed      from the row, P100
//	ssd               87            x                  assumed      from the row, P100
//	alexnet          233                    x    x     public       assumed, RTX 2080 Ti
//	vgg16            528                    x    x     public       assumed, RTX 2080 Ti
//	resnet101        170                    x          public       assumed, RTX 2080 Ti
//	resnet152        230                    x          public       assumed, RTX 2080 Ti
//	inception-v3      25                         x     public       assumed, RTX 3080
//	bert-bilstm-crf  542                         x     synthetic    assumed, RTX 3080
//
// The papers: Trio is "Using Trio: Juniper Networks' Programmable Chipset for
// Emerging In-Network Applications" (SIGCOMM 2022), Table 1. SwitchML is "Scaling
// Distributed Machine Learning with In-Network Aggregation" (NSDI 2021), Tables 1
// and 3. ATP is "ATP: In-network Aggregation for Multi-tenant Learning" (NSDI
// 2021), section 5.1, which names seven models and prints two sizes. XAgg
// is "XAgg: Accelerating Heterogeneous Distributed Training Through XDP-Based
// Gradient Aggregation", section VI-C, which names five models and their sizes.
//
// # Inputs and results
//
// A row's sizes, batches, batch times and shares are inputs: the compute time of
// a SwitchML row follows from them ([Row.Compute]), and an experiment that feeds
// it in must not report it as a result. [Row.Alpha] is a result to compare with.
// What [Origin] or Assumption call assumed, no paper prints.
//
// # Readings
//
// Where a paper contradicts itself or others, a [Reading] has both numbers:
//
//	trio.size-unit           "MB" are binary: published parameter counts, at four bytes each, give the sizes in MiB
//	switchml.size-swap       SSD and ResNet-50 have each other's size in Table 1: 87 and 98 MiB are used
//	switchml.ugatit-overlap  84% at 10 Gbps contradicts the 100 Gbps row; 16% is used, which does not
//	switchml.tensor-count    152 tensors are printed for ResNet50, its public list has 161
//	xagg.inception-size      25 MB is used as printed; the parameters make 104 MiB
//
// # Traces
//
// [Profile.Trace] makes the layer trace that no paper publishes; it is assumed.
// From [Trace.Replay] follow the overlap of communication with compute and the
// iteration time:
//
//	p, _ := profiles.Lookup("vgg19")
//	row, _ := p.Row(profiles.SwitchML, 10*units.GbitPerSecond)
//	compute, _ := row.Compute()
//	when := p.Trace(compute, row.Bytes()).Fuse(row.Fusion()).Replay(1, goodput.TimeToSend)
//
// What is left out: the accuracy (package train learns for real, at a smaller
// size), the start of the next iteration before the last tensor is back, and
// kernels that run beside each other on a GPU.
package profiles

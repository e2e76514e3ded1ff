// Package train is what makes the gradients of the testbed real: a small
// network, trained by SGD on real images, one replica on each worker.
//
//	worker 0                                worker n-1
//	mini-batch of its shard                 mini-batch of its shard
//	    |  Gradient                             |  Gradient
//	    v                                       v
//	[]float32 ------> aggregation in the network ------> the mean
//	    ^                                       |
//	    |  Apply(mean)                          |  Apply(mean)
//	the same parameters        ==           the same parameters
//
// The model is a perceptron with one hidden layer, 784 -> h -> 10, ReLU and
// softmax cross-entropy. All parameters lie in one flat vector, and so does the
// gradient, which is the tensor that crosses the wire:
//
//	offset              floats   what
//	0                   784*h    W1, by input: row i leads from pixel i to the hidden units
//	784*h               h        b1
//	784*h + h           h*10     W2, by input: row j leads from hidden unit j to the classes
//	784*h + h + h*10    10       b2
//
// With rows by input both directions are sums of scaled rows, and a pixel that
// is black (half of them are) costs nothing. The input of a pixel is its grey
// level less the mean of that pixel over the training set, in units of 90.
//
// The method is that of section 2 of the Trio paper ("Using Trio: Juniper
// Networks' Programmable Chipset for Emerging In-Network Applications", SIGCOMM
// 2022): synchronous data-parallel SGD. The caller does, in each iteration:
//
//  1. Draw a mini-batch of its shard: [Batches.Next].
//  2. Compute the gradient: [Network.Gradient].
//  3. Have the network add up the gradients, and divide the sum by the number
//     of workers that contributed (which the result of a straggler-tolerant
//     aggregation states).
//  4. Hand the mean to [Network.Apply].
//
// All replicas that start from [Network.Init] with streams of one name and
// apply the same means stay equal to the last bit, on every processor and as
// long as the numbers are finite. For that, every sum has one order, every
// product is rounded before it is added (no fused multiply-add), and the
// exponential and the logarithm are this package's own, because those of
// package math differ between processors.
//
// What is left out: convolutions, any model of the papers at its true
// accuracy (package profiles replays their sizes and times instead), learning
// rate schedules, weight decay, and any notion of time.
package train

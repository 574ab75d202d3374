# One scenario of this directory in ns-2, without any trace:
#   ns ns2.tcl lossy|clean stock|tuned SECONDS [PACKETS]
#
# SECONDS of simulated time of a bulk flow; with PACKETS a flow of that many packets, which ends the run
# when the last one is acknowledged. Prints one line of JSON; `sent` is the agent's own ndatapack_.
# stock: ns-2 as installed. tuned: a heap for the events, and only the packet headers that are used.

proc usage {} {
    puts stderr "usage: ns ns2.tcl lossy|clean stock|tuned SECONDS \[PACKETS\]"
    exit 2
}
if {$argc < 3 || $argc > 4} usage
lassign $argv scenario build seconds packets
if {$scenario ni {lossy clean} || $build ni {stock tuned}} usage

# The settings of the papers of 1998 to 2000, which airtcp's profile ns2 follows.
Agent/TCP set tcpTick_ 0.1
Agent/TCP set windowInit_ 1
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set singledup_ 0
Agent/TCP set updated_rttvar_ false
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set maxrto_ 64
Agent/TCP set useHeaders_ false
Agent/TCP/Newreno set partial_window_deflation_ 0

if {$build eq "tuned"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}
set ns [new Simulator]
if {$build eq "tuned"} {
    $ns use-scheduler Heap
}
ns-random 689

proc hop {from to rate delay queue} {
    global ns
    $ns duplex-link $from $to $rate $delay DropTail
    $ns queue-limit $from $to $queue
    $ns queue-limit $to $from $queue
}

set sender [$ns node]
set receiver [$ns node]
if {$scenario eq "lossy"} {
    set tcp [new Agent/TCP/Newreno]
    $tcp set packetSize_ 1360
    $tcp set window_ 24
    hop $sender $receiver 1.5Mb 1ms 50
    set loss [new ErrorModel]
    $loss unit pkt
    $loss set rate_ 0.01
    $loss ranvar [new RandomVariable/Uniform]
    $loss drop-target [new Agent/Null]
    # At the far end: a lost packet has used the queue and the airtime.
    $ns link-lossmodel $loss $sender $receiver
} else {
    set tcp [new Agent/TCP/Reno]
    $tcp set packetSize_ 1024
    $tcp set window_ 50
    set base [$ns node]
    hop $sender $base 1.5Mb 10ms 50
    hop $base $receiver 0.8Mb 100ms 50
}
set sink [new Agent/TCPSink]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink

proc report {} {
    global ns tcp
    puts [format {{"sent": %d, "delivered": %d, "time": %.6f}} \
        [expr int([$tcp set ndatapack_])] [expr int([$tcp set ack_]) + 1] [$ns now]]
    exit 0
}
Agent/TCP instproc done {} report

set ftp [new Application/FTP]
$ftp attach-agent $tcp
if {$packets eq ""} {
    $ns at 0.0 "$ftp start"
} else {
    $ns at 0.0 "$ftp produce $packets"
}
$ns at $seconds report
$ns run

"""Small PISA files of every generation, written by hand."""


def nested(total, *, scalar_bits=64, vectors=(), misc=0, **more):
    """An entry of the nested mix: what `vectors` (length, column, count) and `misc` leave is scalar."""
    rows = [{"vector_size": 1, "int_4bits": 0, f"int_{scalar_bits}bits": 0, "pointer_type": 0, "instructions": 0}]
    scalar = total - misc - sum(count for _, _, count in vectors)
    rows[0][f"int_{scalar_bits}bits"] = rows[0]["instructions"] = scalar
    rows += [{"vector_size": length, column: count, "instructions": count} for length, column, count in vectors]
    return [{"total_instructions": total, "mix": rows, "misc_instructions": misc, **more}]


def current():
    """The current generation: nested mix, in-order block, MPI counts as a list."""
    mix = {
        "instructions_analyzed": 1000,
        "load_instructions": nested(200, vectors=[(4, "float_64bits", 30), (2, "float_80bits", 10)]),
        "store_instructions": nested(100),
        "int_arith_instructions": 90,
        "int_arith_add_instructions": nested(60, vectors=[(16, "int_misc", 8)]),
        "int_arith_mul_instructions": nested(20),
        "int_arith_sdiv_instructions": nested(6),
        "int_arith_urem_instructions": nested(4),
        "int_cmp_instructions": nested(100),
        "bitwise_instructions": 50,
        "bitwise_xor_instructions": nested(50),
        "conversion_instructions": 60,
        "conversion_sext_instructions": nested(40),
        "conversion_ptrtoint_instructions": [{"total_instructions": 20, "mix": [], "misc_instructions": 0}],
        "address_arith_instructions": 110,
        "address_arith_get_elem_ptr_arith_instructions": nested(100, misc=100),
        "address_arith_alloca_arith_instructions": 10,
        "fp_arith_instructions": 90,
        "fp_arith_add_instructions": nested(50, vectors=[(3, "float_64bits", 5)]),
        "fp_arith_mul_instructions": nested(30),
        "fp_arith_div_instructions": nested(7),
        "fp_arith_rem_instructions": nested(3),
        "fp_cmp_instructions": nested(10),
        "control_instructions": 120,
        "control_branch_instructions": 120,
        "phi_instructions": 0,
        "llvm_vector_instructions": 20,
        "llvm_vector_insert_element_instructions": nested(20, vectors=[(4, "float_64bits", 20)]),
        "misc_instructions": 40,
        "misc_select_instructions": nested(40),
        "atomic_memory_instructions": 6,
        "sync_instructions": 4,
    }
    thread = {
        "threadId": 0,
        "processId": 2,
        "instructionMix": mix,
        "ilp": [
            {
                "windowSize": "54",
                "statistics": {
                    "span": 300,
                    "arithmetic_mean": 3.3333,
                    "span_mem": 200,
                    "arithmetic_mean_mem": 1.4,
                    "span_int": 100,
                    "arithmetic_mean_int": 4.1,
                    "span_ctrl": 60,
                    "arithmetic_mean_ctrl": 2.0,
                    "span_fp": 0,
                    "arithmetic_mean_fp": 0.0,
                },
                "in-order": {"span": 500, "arithmetic_mean": 2.0, "span_mem": 250, "arithmetic_mean_mem": 1.2},
            },
            {"windowSize": "inf", "statistics": {"span": 100, "arithmetic_mean": 10.0}},
        ],
        "dataReuseDistribution": [
            {
                "cacheLineSize": 128,
                "statistics": {
                    "data": [[0, 100], [1, 33], [4, "60"]],
                    "dataCDF": [[0, 0.3333], [1, 0.4433], [4, 0.6433]],
                },
            },
            {"cacheLineSize": "64", "statistics": {"dataCDF": [[0, 0.2], [100, 0.4], [200, 0.6], [500, "0.7"]]}},
        ],
        "instReuseDistribution": [
            {
                "instructionSize": 1,
                "cacheLineSize": 16,
                "statistics": {
                    "instructions": [[0, 900], [1, 90]],
                    "instructionsCDF": [[0, 0.9], [1, 0.99], [2, 0.99], [4, 0.99]],
                },
            }
        ],
        "branchEntropy": {
            "entropies": [
                {"bufferSize": 1, "entropy": 0.9, "mispredictionRate": 0.31},
                {"bufferSize": 2, "entropy": "0.5", "mispredictionRate": 0.11},
            ],
            "branches": 120,
            "bestEntropy": 0.5,
            "bestMispredictionRate": 0.11,
        },
        "registerAccesses": {"reads": 1700, "writes": "700"},
        "memoryFootprint": {"total_distinct_addresses_byte_granularity": 404, "shared_accesses": 0},
        "openMPinstructionMix": {"openMP_atomic": 0, "openMP_parallel_fork_call": 3},
        "mpiInstructionMix": [
            {
                "MPI_instructions_analyzed": 9,
                "p2pCommunicationRoutines": {"MPI_Send": 3},
                "collectiveCommunicationRoutines": {
                    "MPI_Allreduce": 2,
                    "MPI_Alltoall": 1,
                    "MPI_Alltoallv": 2,
                    "MPI_Barrier": 1,
                    "MPI_Scan": 0,
                    "MPI_Op_create": 5,
                },
            }
        ],
        "mpiDataExchanged": {
            "sent_bytes": 48,
            "received_bytes": 64,
            "sent_messages": 3,
            "received_messages": 4,
            "bcast_received_bytes": 0,
            "alltoall_received_bytes": 800,
            "alltoall_sent_bytes": 800,
            "allreduce_bytes": 16,
        },
        "mpiCommunicationVector": [
            {"source": 3, "received_bytes": 40, "received_messages": 3},
            {"source": 1, "received_bytes": 24, "received_messages": 1},
        ],
        "externalLibraryCallCount": {"printf": 1, "DGEMM_": 2, "dgemm_": 3},
    }
    return {
        "application": "Default",
        "benchmark": "toy",
        "test-scenario": "default",
        "time": "2016-04-05 22:48:05",
        "appScale": {"bench": "a", "SIZE": 15, "processes": "4", "threads": 1},
        "appConfig": {
            "compilerOptimization": "O3",
            "libraryCommit": "77c8edf",
            "branchEntropyAll": "no",
            "branchEntropyCond": "yes",
        },
        "threads": [thread],
    }


def flat():
    """An early generation: flat mix, numbers as texts, single objects instead of lists, other names of MPI counts."""
    mix = {
        "instructions_analyzed": "500",
        "load_instructions": "100",
        "load_float_64bits_instructions": "100",
        "store_instructions": 50,
        "int_arith_add_instructions": 100,
        "int_arith_mul_instructions": 10,
        "int_cmp_instructions": 40,
        "bitwise_and_instructions": 20,
        "address_arith_get_elem_ptr_arith_instructions": 50,
        "fp_arith_mul_instructions": 30,
        "control_instructions": 80,
        "vector_shuffle_vector_instructions": 5,
        "misc_select_instructions": 15,
    }
    thread = {
        "thread_id": "1",
        "processor_id": 0,
        "instructionMix": mix,
        "ilp": {
            "windowSize": "inf",
            "statistics": {"span": 100, "arithmetic_mean": 5.0, "arithmetic_mean_mem": 1.5},
        },
        "dataReuseDistribution": {"cacheLineSize": "inf", "statistics": {"data": [[1, 20], [5, 60]], "dataCDF": []}},
        "instReuseDistribution": [],
        "branchEntropy": [],
        "mpiStatistics": {"MPI_instructions_analyzed": 2, "collectiveCommunicationRoutines": {"MPI_Bcast": 1}},
        "mpiDataStatistics": {"sent_bytes": 8, "received_bytes": 8, "sent_messages": 1, "received_messages": 1},
        "mpiCommunicationVector": [{"source": 3, "received_bytes": 8, "received_messages": 1}],
    }
    return {"application": "old", "test-scenario": "scale12", "execmd": "./a", "threads": [thread]}


def totals():
    """The earliest generation: one number for all integer operations, one for all of floating point."""
    mix = {
        "instructions_analyzed": 300,
        "load_instructions": 60,
        "store_instructions": 30,
        "address_arith_instructions": 40,
        "total_integer_arith_instructions": 70,
        "int_mul_instructions": 5,
        "int_urem_instructions": 2,
        "total_fp_arith_instructions": 20,
        "fp_mul_instructions": 8,
        "fp_div_instructions": 1,
        "control_instructions": 50,
        "misc_instructions": 30,
    }
    threads = [{"threadId": number, "processId": 0, "instructionMix": mix} for number in range(3)]
    return {"application": "oldest", "threads": threads}

/* Regions: from the first MPI_Pcontrol(1) on, only what runs between it and MPI_Pcontrol(0) is recorded, and what was
 * recorded before is forgotten. A program without such calls is recorded as a whole. */
#include "mpi_counts.h"

void __dse_region(int level) __attribute__((weak));

int MPI_Pcontrol(const int level, ...) {
  const int on = level > 0;
  dse_mpi_region(on);
  if (__dse_region)
    __dse_region(on);
  return PMPI_Pcontrol(level);
}

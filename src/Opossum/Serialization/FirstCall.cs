using System.Runtime.CompilerServices;

namespace Opossum.Serialization;

/// <summary>How the methods that replay the index are compiled; see docs/decisions/0017.</summary>
internal static class FirstCall
{
    /// <summary>Optimised at the first call, unless the library is compiled ahead of time, as in the packages of the command line.</summary>
#if COMPILED_AHEAD
    public const MethodImplOptions Optimized = default;
#else
    public const MethodImplOptions Optimized = MethodImplOptions.AggressiveOptimization;
#endif
}

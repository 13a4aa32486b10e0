using System.Runtime.CompilerServices;

namespace Opossum.Following;

/// <summary>The openings of a store, one after another: a host opens a faulted store again. Callers ask the present one.</summary>
/// <typeparam name="T">What callers need of an opening.</typeparam>
/// <param name="use">Returns the present opening, which stays open until the action is called.</param>
/// <param name="isReplacedAsync">
/// Waits until another opening has replaced one on which nothing runs any more; false: none will. Null: what runs is stopped by the caller only.
/// </param>
internal sealed class Openings<T>(Func<(T Opening, Action EndUse)> use, Func<T, Task<bool>>? isReplacedAsync = null)
    where T : class
{
    public T Present
    {
        get
        {
            var (opening, endUse) = use();
            endUse();
            return opening;
        }
    }

    /// <summary>Asks the present opening; if another replaces it before it has answered, or is about to, that one.</summary>
    public async Task<TAnswer> AskAsync<TAnswer>(Func<T, Task<TAnswer>> ask, CancellationToken cancellationToken)
    {
        while (true)
        {
            var (opening, endUse) = use();
            try
            {
                return await ask(opening).ConfigureAwait(false);
            }
            catch (ObjectDisposedException) when (Present != opening || isReplacedAsync is not null)
            {
                // What runs on the opening has stopped.
                if (Present == opening && !await isReplacedAsync!(opening).WaitAsync(cancellationToken).ConfigureAwait(false))
                    throw;
            }
            finally
            {
                endUse();
            }
        }
    }

    /// <summary>Reads from the present opening, which stays open until the last value is read.</summary>
    public async IAsyncEnumerable<TValue> ReadAsync<TValue>(Func<T, IAsyncEnumerable<TValue>> read,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var (opening, endUse) = use();
        try
        {
            await foreach (var value in read(opening).WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return value;
        }
        finally
        {
            endUse();
        }
    }
}
